import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sha256 } from '@ironlaw/contracts'
import { parseDataSpec } from '@ironlaw/contracts/data-spec'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { build } from './build.ts'

const root = mkdtempSync(join(tmpdir(), 'pipelines-full-'))
const work = join(root, 'small')
const isRoot = process.getuid?.() === 0

beforeAll(() => {
  mkdirSync(work)
  if (isRoot) execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=700k', 'tmpfs', work])
  for (let file = 0; file < 4; file += 1)
    writeFileSync(
      join(root, `part-${file}.jsonl`),
      // Digests do not compress to less than half.
      Array.from(
        { length: 100 },
        (_, i) => `${JSON.stringify({ text: Array.from({ length: 60 }, (__, j) => sha256(`${file} ${i} ${j}`)).join(' ') })}\n`,
      ).join(''),
    )
})
afterAll(() => {
  if (isRoot) execFileSync('umount', [work])
  rmSync(root, { recursive: true })
})

const spec = parseDataSpec(
  { apiVersion: 'ironlaw/v1', kind: 'Data', name: 'x', from: [{ name: 'web', files: 'part-*.jsonl' }], steps: [{ deduplicate: {} }] },
  'data.yaml',
)

function digestOf(directory: string): string {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const lines = files.map(({ parentPath, name }) => `${name} ${sha256(readFileSync(join(parentPath, name)).toString('latin1'))}`)
  return lines.toSorted().join('\n')
}

test.skipIf(!isRoot)('a build on a full disk says how much it needs, and goes on when there is room', { timeout: 120_000 }, async () => {
  const small = { spec, directory: root, work, to: join(root, 'out') }
  const full = /^cannot write .*small\/\w{16}: the disk is full$/
  for (const workers of [1, 2])
    await expect(build({ ...small, workers })).rejects.toMatchObject({
      message: expect.stringMatching(full),
      next: expect.stringMatching(/^\d MB of about [12] MB that it needs are there .*: free as much, or move .*small to another disk/),
    })
  expect(readdirSync(work, { recursive: true }).filter((name) => /\.(?:tmp|claim)$/.test(String(name)))).toEqual([])
  execFileSync('mount', ['-o', 'remount,size=16m', work])
  await build({ ...small, workers: 2 })
  await build({ spec, directory: root, work: join(root, 'roomy'), to: join(root, 'alone'), workers: 1 })
  expect(digestOf(small.to)).toBe(digestOf(join(root, 'alone')))
})
