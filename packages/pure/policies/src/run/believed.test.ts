import type { Attempt } from '@ironlaw/contracts'
import { expect, test } from 'vitest'
import { believedReports, placedNodes } from './believed.ts'

const attempt: Attempt = { number: 1, state: 'running', nodes: 2, excluded: [], submittedAt: 0, placed: ['n1', 'n2'] }
const node = (name: string, index: number, ranks: readonly number[]) => ({
  node: name,
  index,
  receivedAt: 1,
  ranks: ranks.map((rank) => ({ rank, step: 1, phase: 'compute', phaseAge_s: 0, alive: true })),
})
const exit = (name: string, rank: number) => ({ node: name, rank, code: 1, signal: null, at: 1 })
const believedOf = (said: Partial<Parameters<typeof believedReports>[0]>, placed: readonly string[] | undefined = attempt.placed) =>
  believedReports({ nodes: [], exits: [], ...said }, { attempt, processesPerNode: 2, ...(placed && { placed }) })

for (const [what, said, nodes, exits, disbelieved] of [
  ['its own nodes and ranks are heard', { nodes: [node('n1', 0, [0, 1])], exits: [exit('n2', 3)] }, ['n1'], [3], 0],
  ['nodes that it was not placed on are not', { nodes: [node('n6', 0, [0])], exits: [exit('n5', 0), exit('n1', 1)] }, [], [1], 2],
  ['indices and ranks beyond its shape are not', { nodes: [node('n1', 2, [4])], exits: [exit('n1', 4)] }, [], [], 2],
] as const)
  test(what, () => {
    const found = believedOf(said)
    expect(found.nodes.map((each) => each.node)).toEqual(nodes)
    expect(found.exits.map(({ rank }) => rank)).toEqual(exits)
    expect(found.disbelieved).toBe(disbelieved)
  })

test('a node speaks for its own ranks only', () => {
  expect(believedOf({ nodes: [node('n1', 0, [0, 3])] }).nodes[0]?.ranks.map(({ rank }) => rank)).toEqual([0])
})

test('where it runs is what the executor said, first or now', () => {
  expect(placedNodes(attempt, { state: 'absent' })).toEqual(['n1', 'n2'])
  const { placed: _, ...unplaced } = attempt
  expect(placedNodes(unplaced, { state: 'running', nodes: ['n3'], unresponsive: [] })).toEqual(['n3'])
  expect(placedNodes(unplaced, { state: 'ending' })).toBeUndefined()
})
