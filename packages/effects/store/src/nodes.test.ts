import { expect, test } from 'vitest'
import { onEachDatabase } from '../test/each-database.ts'
import { event, freshId } from '../test/samples.ts'
import { eventsOf } from './events.ts'
import { drainNode, nodesOf, nodeStream, restoreNode, strikeNode } from './nodes.ts'

onEachDatabase((opened) => {
  test('strikes add up, a drained node says why, and a restored one has a clean record; each with its event', async () => {
    const { database } = opened()
    const node = { cluster: freshId('cluster'), name: 'n2' }
    expect(await strikeNode(database, node, event('node-struck', 1))).toBe(1)
    expect(await strikeNode(database, node, event('node-struck', 2))).toBe(2)
    await drainNode(database, { ...node, reason: 'fell silent twice' }, event('node-drained', 3))
    await drainNode(database, { ...node, name: 'n1', reason: 'asked for' }, event('node-drained', 4))
    expect(await nodesOf(database, node.cluster)).toEqual([
      { ...node, name: 'n1', state: 'drained', strikes: 0, drained_reason: 'asked for', changed_at: 4 },
      { ...node, state: 'drained', strikes: 2, drained_reason: 'fell silent twice', changed_at: 3 },
    ])
    await restoreNode(database, node, event('node-restored', 5))
    expect((await nodesOf(database, node.cluster))[1]).toEqual({
      ...node,
      state: 'in-service',
      strikes: 0,
      drained_reason: null,
      changed_at: 5,
    })
    const events = await eventsOf(database, nodeStream(node), { after: 0, limit: 9 })
    expect(events.map(({ kind }) => kind)).toEqual(['node-struck', 'node-struck', 'node-drained', 'node-restored'])
  })
})
