import type { ArtifactTrace } from '@ironlaw/contracts/artifact-operations'
import { expect, test } from 'vitest'
import { lineageLayout } from './lineage-layout.ts'

const artifact = (id: string, names: string[] = []) => ({ id, type: 'dataset' as const, names, bytes: 1, created_at: 0 })
const run = (id: string) => ({ id, name: id, state: 'succeeded', created_at: 0 })
const trace = (part: Partial<ArtifactTrace>): ArtifactTrace => ({ from: '', artifacts: [], runs: [], edges: [], truncated: false, ...part })

const UP = trace({
  from: 'art-model',
  artifacts: [artifact('art-raw'), artifact('art-clean', ['corpus']), artifact('art-model', ['tiny'])],
  runs: [run('clean'), run('train')],
  edges: [
    { run: 'clean', artifact: 'art-raw', how: 'used' },
    { run: 'clean', artifact: 'art-clean', how: 'made' },
    { run: 'train', artifact: 'art-clean', how: 'used' },
    { run: 'train', artifact: 'art-raw', how: 'used' },
    { run: 'train', artifact: 'art-model', how: 'made' },
  ],
})

test('what came before is to the left, by the longest way', () => {
  const { nodes, edges, columns } = lineageLayout([UP])
  const column = (id: string) => nodes.find((node) => node.id === id)?.column
  expect(['art-raw', 'clean', 'art-clean', 'train', 'art-model'].map(column)).toEqual([0, 1, 2, 3, 4])
  expect(columns).toBe(5)
  expect(edges).toHaveLength(5)
})

test('no two nodes share a place', () => {
  const many = trace({
    from: 'r',
    runs: [run('r')],
    artifacts: Array.from({ length: 20 }, (_, index) => artifact(`art-${index}`)),
    edges: Array.from({ length: 20 }, (_, index) => ({ run: 'r', artifact: `art-${index}`, how: 'used' as const })),
  })
  const { nodes, rows } = lineageLayout([many])
  expect(new Set(nodes.map(({ column, row }) => `${column} ${row}`)).size).toBe(21)
  expect(rows).toBe(20)
})

test('a run that used what it made is drawn, not followed for ever', () => {
  const circle = trace({
    from: 'art-a',
    artifacts: [artifact('art-a')],
    runs: [run('r')],
    edges: [
      { run: 'r', artifact: 'art-a', how: 'used' },
      { run: 'r', artifact: 'art-a', how: 'made' },
    ],
  })
  expect(lineageLayout([circle]).nodes).toHaveLength(2)
})

test('more than a picture can show is counted', () => {
  const many = trace({
    from: 'r',
    runs: [run('r')],
    artifacts: Array.from({ length: 200 }, (_, index) => artifact(`art-${index}`)),
    edges: Array.from({ length: 200 }, (_, index) => ({ run: 'r', artifact: `art-${index}`, how: 'made' as const })),
  })
  const { nodes, hidden } = lineageLayout([many])
  expect(nodes.length + hidden).toBe(201)
  expect(nodes.map(({ id }) => id)).toContain('r')
})
