// Tokens back to bytes. Bytes, not text: a token may end in the middle of a character.

import { fallbackIds } from './symbols.ts'
import { refused, type TokenizerFile } from './tokenizer-file.ts'
import { bytesOfToken, utf8Bytes } from './utf8.ts'

export type Decoder = (ids: ArrayLike<number>) => Uint8Array

const SPACE = 0x20

type Rules = { readonly isByteLevel: boolean; readonly replaced: readonly (readonly [string, string])[]; readonly stripsSpace: boolean }

function decoderRules({ decoders, preTokenizers }: TokenizerFile): Rules {
  // A file that names no decoder still says by its pre-tokenizer what the characters of its tokens stand for.
  let isByteLevel = decoders.length === 0 && preTokenizers.some(({ type }) => type === 'ByteLevel')
  let stripsSpace = false
  const replaced: (readonly [string, string])[] = []
  for (const step of decoders) {
    if (step.type === 'ByteLevel') isByteLevel = true
    else if (step.type === 'Replace') {
      const pattern = (step['pattern'] as { readonly String?: unknown } | undefined)?.String
      if (typeof pattern !== 'string' || typeof step['content'] !== 'string')
        throw refused('decoder Replace has a pattern other than a string')
      replaced.push([pattern, step['content']])
    } else if (step.type === 'Metaspace') {
      replaced.push([typeof step['replacement'] === 'string' ? step['replacement'] : '▁', ' '])
      stripsSpace = step['prepend_scheme'] !== 'never' && step['add_prefix_space'] !== false
    } else if (step.type === 'Strip') {
      if (step['content'] !== ' ' || step['start'] !== 1 || step['stop'] !== 0) throw refused('decoder Strip strips more than one space')
      stripsSpace = true
    } else if (step.type !== 'ByteFallback' && step.type !== 'Fuse') throw refused(`the decoder ${step.type} is not supported`)
  }
  return { isByteLevel, replaced, stripsSpace }
}

export function decoder(file: TokenizerFile): Decoder {
  const { isByteLevel, replaced, stripsSpace } = decoderRules(file)
  const bytesOf = new Map<number, readonly number[]>()
  for (const [token, id] of file.model.vocabulary) {
    const text = replaced.reduce((current, [pattern, content]) => current.replaceAll(pattern, () => content), token)
    bytesOf.set(id, (isByteLevel ? bytesOfToken(token) : undefined) ?? utf8Bytes(text))
  }
  if (file.model.byteFallback) for (const [byte, id] of fallbackIds(file.model).entries()) if (id !== undefined) bytesOf.set(id, [byte])
  for (const { id, content } of file.addedTokens) {
    bytesOf.set(id, utf8Bytes(replaced.reduce((current, [pattern, with_]) => current.replaceAll(pattern, () => with_), content)))
  }
  return (ids) => {
    const bytes: number[] = []
    for (let i = 0; i < ids.length; i += 1) {
      const token = bytesOf.get(ids[i] as number)
      if (token === undefined) throw refused(`there is no token ${ids[i]}`)
      for (const byte of token) bytes.push(byte)
    }
    return Uint8Array.from(stripsSpace && bytes[0] === SPACE ? bytes.slice(1) : bytes)
  }
}
