import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { BLOCK_CHARACTERS, blockHashes } from './block-hashes.ts'
import { PrefixIndex } from './prefix-index.ts'

const matchedBlocks = (index: PrefixIndex, blocks: readonly number[], replicas = 3): number[] => {
  const into = Array.from({ length: replicas }, () => 9)
  index.match(blocks, into)
  return into
}

test('the leading blocks that each replica was sent', () => {
  const index = new PrefixIndex({ blocksPerReplica: 10 })
  index.add(0, [1, 2, 3])
  index.add(2, [1, 2, 7])
  expect(matchedBlocks(index, [1, 2, 3, 4])).toEqual([3, 0, 2])
  expect(matchedBlocks(index, [2, 3])).toEqual([2, 0, 1])
  expect(matchedBlocks(index, [])).toEqual([0, 0, 0])
})

test('the least recent goes first, and a prefix outlives what hangs on it', () => {
  const index = new PrefixIndex({ blocksPerReplica: 4 })
  index.add(0, [1, 2, 3])
  index.add(0, [1, 8])
  index.add(0, [1, 9])
  expect(index.blockCount(0)).toBe(4)
  expect(matchedBlocks(index, [1, 2, 3])).toEqual([2, 0, 0])
  index.forget(0)
  expect(matchedBlocks(index, [1])).toEqual([0, 0, 0])
  expect(index.blockCount(0)).toBe(0)
})

property.prop([
  fc.array(fc.record({ replica: fc.nat(2), blocks: fc.uniqueArray(fc.nat(12), { minLength: 1, maxLength: 6 }), forget: fc.boolean() }), {
    maxLength: 60,
  }),
])('agrees with a plain least-recently-used list for each replica', (steps) => {
  const index = new PrefixIndex({ blocksPerReplica: 6 })
  const plain: number[][] = [[], [], []]
  for (const { replica, blocks, forget } of steps) {
    if (forget) {
      index.forget(replica)
      plain[replica] = []
    }
    index.add(replica, blocks)
    for (const block of blocks.toReversed()) {
      const kept = (plain[replica] ?? []).filter((one) => one !== block)
      plain[replica] = [...kept, block].slice(-6)
    }
    for (const probe of [blocks, [0, 1, 2]]) {
      const want = plain.map((held) => {
        const miss = probe.findIndex((block) => !held.includes(block))
        return miss === -1 ? probe.length : miss
      })
      expect(matchedBlocks(index, probe)).toEqual(want)
    }
  }
})

test('a block hash covers all before it, and whole blocks only', () => {
  const text = 'abc'.repeat(BLOCK_CHARACTERS)
  const hashes = blockHashes(text, 1, [])
  expect(hashes).toHaveLength(3)
  expect(new Set(hashes).size).toBe(3)
  expect(blockHashes(text.slice(0, -1), 1, [])).toEqual(hashes.slice(0, 2))
  expect(blockHashes(`x${text.slice(1)}`, 1, []).some((hash) => hashes.includes(hash))).toBe(false)
  expect(blockHashes(text, 2, []).some((hash) => hashes.includes(hash))).toBe(false)
})
