// Trees over salted leaves. The salt is a function of the storage's key and of the content: the same content has the same leaf in one
// storage, and nobody without the key can tell whether a guess was in it. The shape is that of RFC 6962, so that the proof for one leaf
// is what other tools know.

import { createHash, createHmac, hash } from 'node:crypto'

const SALT_BYTES = 16
const DIGEST_BYTES = 32
const BLOCK_BYTES = 64
/** Above this, a copy costs more than the calls it saves. */
const LARGE_LEAF = 16 * 1024

/** As a text of one character for each byte: for short lines, making a Buffer takes longer than the digest. */
export type Digest = string

export type LeafHash = (content: Uint8Array) => Digest

/** A function with a buffer of its own. One-shot digests over it take a third of the time of an HMAC object, and lines are short. */
export function leafHasher(key: Uint8Array): LeafHash {
  const inner = padded(key, 0x36)
  const outer = Buffer.concat([padded(key, 0x5c), Buffer.alloc(DIGEST_BYTES)])
  const scratch = Buffer.alloc(BLOCK_BYTES + LARGE_LEAF)
  const leafStart = BLOCK_BYTES - 1 - SALT_BYTES
  return (content) => {
    if (content.length > LARGE_LEAF) return largeLeaf(key, content)
    const end = BLOCK_BYTES + content.length
    scratch.set(inner)
    scratch.set(content, BLOCK_BYTES)
    outer.write(digestOf(scratch.subarray(0, end)), BLOCK_BYTES, 'latin1')
    // The salt goes right before the content, over the end of the padded key.
    scratch.write(digestOf(outer), leafStart + 1, SALT_BYTES, 'latin1')
    scratch[leafStart] = 0
    return digestOf(scratch.subarray(leafStart, end))
  }
}

const digestOf = (content: Uint8Array): Digest => hash('sha256', content, 'binary')

/** The first 32 bits of a digest. */
export const beginningOf = (digest: Digest): number =>
  digest.charCodeAt(0) * 2 ** 24 + digest.charCodeAt(1) * 2 ** 16 + digest.charCodeAt(2) * 2 ** 8 + digest.charCodeAt(3)

const padded = (key: Uint8Array, pad: number): Buffer =>
  Buffer.alloc(BLOCK_BYTES, pad).map((byte, index) => byte ^ (key[index] ?? 0)) as Buffer

function largeLeaf(key: Uint8Array, content: Uint8Array): Digest {
  const salt = createHmac('sha256', key).update(content).digest().subarray(0, SALT_BYTES)
  return createHash('sha256').update(Uint8Array.of(0)).update(salt).update(content).digest('binary')
}

export type Tree = {
  readonly add: (leaf: Digest) => void
  readonly leaves: () => number
  /** Undefined without leaves. */
  readonly root: () => string | undefined
}

/** Keeps one digest for each complete subtree, largest first. */
export function growingTree(): Tree {
  const subtrees: Digest[] = []
  let leaves = 0
  const node = nodeHasher()
  return {
    add: (leaf) => {
      let right = leaf
      for (let size = leaves; size % 2 === 1; size = (size - 1) / 2) right = node(subtrees.pop() ?? right, right)
      subtrees.push(right)
      leaves += 1
    },
    leaves: () => leaves,
    root: () =>
      leaves === 0
        ? undefined
        : Buffer.from(
            subtrees.reduceRight((right, left) => node(left, right)),
            'latin1',
          ).toString('hex'),
  }
}

function nodeHasher(): (left: Digest, right: Digest) => Digest {
  const scratch = Buffer.alloc(1 + 2 * DIGEST_BYTES, 1)
  return (left, right) => {
    scratch.write(left, 1, 'latin1')
    scratch.write(right, 1 + DIGEST_BYTES, 'latin1')
    return digestOf(scratch)
  }
}
