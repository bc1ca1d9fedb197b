import type { ArtifactDiff, ArtifactTrace } from '@ironlaw/contracts/artifact-operations'
import { describe, expect, test } from 'vitest'
import { diffText } from './diff.ts'
import { traceText } from './trace.ts'

const artifact = (id: string, names: string[] = []) => ({ id, type: 'dataset' as const, names, bytes: 1e6, created_at: 0 })
const run = (id: string) => ({ id, name: id, state: 'succeeded', created_at: 0 })

const TRACE: ArtifactTrace = {
  from: 'art-model',
  artifacts: [artifact('art-raw'), artifact('art-clean', ['corpus']), artifact('art-model', ['tiny'])],
  runs: [run('clean'), run('train')],
  edges: [
    { run: 'train', artifact: 'art-model', how: 'made' },
    { run: 'train', artifact: 'art-clean', how: 'used' },
    { run: 'train', artifact: 'art-raw', how: 'used' },
    { run: 'clean', artifact: 'art-clean', how: 'made' },
    { run: 'clean', artifact: 'art-raw', how: 'used' },
  ],
  truncated: false,
}

describe('a trace as text', () => {
  test('follows what made an artifact, and what that used', () => {
    expect(traceText(TRACE, 'up')).toBe(
      [
        'dataset tiny art-model (1 MB)',
        '└─ made by run train (succeeded)',
        '   ├─ used dataset corpus art-clean (1 MB)',
        '   │  └─ made by run clean (succeeded)',
        '   │     └─ used dataset art-raw (1 MB)',
        '   └─ used dataset art-raw (1 MB)',
      ].join('\n'),
    )
  })

  test('a circle ends', () => {
    const circle: ArtifactTrace = {
      ...TRACE,
      edges: [
        { run: 'train', artifact: 'art-model', how: 'made' },
        { run: 'train', artifact: 'art-model', how: 'used' },
      ],
    }
    expect(traceText(circle, 'up')).toContain('see above')
  })

  test('says when nothing is known', () => {
    expect(traceText({ ...TRACE, edges: [] }, 'up')).toContain('no run is known to have made it')
    expect(traceText({ ...TRACE, edges: [] }, 'down')).toContain('nothing is known to have come of it')
  })
})

describe('a difference as text', () => {
  const DIFF: ArtifactDiff = { from: 'art-a', to: 'art-b', files_same: 2, files_changed: 1, bytes_shared: 5e6, changes: [], facts: [] }

  test('lines that were too many to compare are not called none', () => {
    const text = diffText({ ...DIFF, changes: [{ path: 'a.jsonl', change: 'changed', bytes_before: 1e9, bytes_after: 2e9 }] })
    expect(text).toContain('+? -?')
  })

  test('the same artifact has no difference', () => {
    expect(diffText({ ...DIFF, to: 'art-a' })).toBe('both are art-a: the same content')
  })

  test('a fact that only one has', () => {
    expect(diffText({ ...DIFF, facts: [{ field: 'tokenizer', after: 'llama-3' }] })).toMatch(/tokenizer\s+llama-3/)
  })
})
