import { expect, test } from 'vitest'
import { onEachDatabase } from '../test/each-database.ts'
import { event, freshId } from '../test/samples.ts'
import { eventsOf } from './events.ts'
import { bearersOf, createPrincipal, listPrincipals, PRINCIPALS_STREAM, revokePrincipal } from './principals.ts'

onEachDatabase((opened) => {
  test('a principal is found by the hash of its token until it is revoked, and no answer has the hash', async () => {
    const { database } = opened()
    const id = freshId('principal')
    const token_hash = freshId('hash')
    await createPrincipal(database, { id, name: 'Ada', role: 'operator', token_hash }, event('principal-created', 5))
    const principal = { id, name: 'Ada', role: 'operator', run_id: null, gateway_id: null, created_at: 5, revoked_at: null }
    expect(await bearersOf(database, [token_hash, 'other'])).toEqual(new Map([[token_hash, { ...principal, ended_at: null }]]))
    expect(await listPrincipals(database)).toEqual([principal])
    expect(await revokePrincipal(database, id, event('principal-revoked', 6))).toBe('applied')
    expect(await revokePrincipal(database, id, event('principal-revoked', 7))).toBe('unknown')
    expect((await bearersOf(database, [token_hash])).size).toBe(0)
    const events = await eventsOf(database, PRINCIPALS_STREAM, { after: 0, limit: 9 })
    expect(events.map(({ kind }) => kind)).toEqual(['principal-created', 'principal-revoked'])
    expect(JSON.stringify(events)).not.toContain(token_hash)
  })

  test('the token of a run belongs to one run, and is not among those that people manage', async () => {
    const { database } = opened()
    const run = { id: freshId('principal'), name: 'run-1', role: 'run', token_hash: freshId('hash') } as const
    await expect(createPrincipal(database, run, event('principal-created'))).rejects.toThrow('check constraint')
    await createPrincipal(database, { ...run, run_id: 'run-1' }, event('principal-created'))
    expect((await bearersOf(database, [run.token_hash])).get(run.token_hash)).toMatchObject({ role: 'run', run_id: 'run-1' })
    expect((await listPrincipals(database)).map(({ id }) => id)).not.toContain(run.id)
  })
})
