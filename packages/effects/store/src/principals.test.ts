import { expect, test } from 'vitest'
import { onEachDatabase } from '../test/each-database.ts'
import { event, freshId } from '../test/samples.ts'
import { eventsOf } from './events.ts'
import {
  bearersOf,
  createPrincipal,
  listPrincipals,
  principalNamed,
  PRINCIPALS_STREAM,
  recordUse,
  revokePrincipal,
  rotatePrincipal,
} from './principals.ts'

onEachDatabase((opened) => {
  test('a principal is found by the hash of its token until it is revoked, and no answer has the hash', async () => {
    const { database } = opened()
    const id = freshId('principal')
    const token_hash = freshId('hash')
    const grants = [{ role: 'operator', project: 'search' }] as const
    await createPrincipal(database, { id, name: 'Ada', role: 'person', grants, token_hash }, event('principal-created', 5))
    const unset = { run_id: null, gateway_id: null, revoked_at: null, expires_at: null, last_used_at: null }
    const principal = { id, name: 'Ada', role: 'person', grants, created_at: 5, ...unset }
    const bearer = { ...principal, ended_at: null, project: null }
    expect(await bearersOf(database, { hashes: [token_hash, 'other'], at: 6 })).toEqual(new Map([[token_hash, bearer]]))
    expect(await listPrincipals(database)).toEqual([principal])
    expect(await revokePrincipal(database, id, event('principal-revoked', 6))).toBe('applied')
    expect(await revokePrincipal(database, id, event('principal-revoked', 7))).toBe('unknown')
    expect((await bearersOf(database, { hashes: [token_hash], at: 8 })).size).toBe(0)
    const events = await eventsOf(database, PRINCIPALS_STREAM, { after: 0, limit: 9 })
    expect(events.map(({ kind }) => kind)).toEqual(['principal-created', 'principal-revoked'])
    expect(JSON.stringify(events)).not.toContain(token_hash)
  })

  test('the token of a run belongs to one run, and is not among those that people manage', async () => {
    const { database } = opened()
    const run = { id: freshId('principal'), name: 'run-1', role: 'run', token_hash: freshId('hash') } as const
    await expect(createPrincipal(database, run, event('principal-created'))).rejects.toThrow('check constraint')
    await createPrincipal(database, { ...run, run_id: 'run-1' }, event('principal-created'))
    expect((await bearersOf(database, { hashes: [run.token_hash], at: 8 })).get(run.token_hash)).toMatchObject({
      role: 'run',
      run_id: 'run-1',
    })
    expect((await listPrincipals(database)).map(({ id }) => id)).not.toContain(run.id)
  })

  test('a token expires, and the secret before a rotation is valid for the stated time', async () => {
    const { database } = opened()
    const id = freshId('principal')
    const [first, second] = [freshId('hash'), freshId('hash')]
    await createPrincipal(database, { id, name: 'ci', role: 'person', expires_at: 100, token_hash: first }, event('token-created', 1))
    const valid = async (at: number) => [...(await bearersOf(database, { hashes: [first, second], at })).keys()].toSorted()
    expect([await valid(99), await valid(100)]).toEqual([[first], []])
    const rotation = { id, token_hash: second, old_until_at: 20, event: event('token-rotated', 10) }
    expect(await rotatePrincipal(database, rotation)).toBe('applied')
    expect([await valid(19), await valid(20), await valid(100)]).toEqual([[first, second].toSorted(), [second], []])
    await recordUse(database, [id], 15)
    expect(await principalNamed(database, id)).toMatchObject({ last_used_at: 15 })
    await revokePrincipal(database, id, event('token-revoked', 16))
    expect([await valid(17), await principalNamed(database, id), await rotatePrincipal(database, rotation)]).toEqual([
      [],
      undefined,
      'unknown',
    ])
  })
})
