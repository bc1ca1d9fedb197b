import { expect, test } from 'vitest'
import { onEachDatabase } from '../test/each-database.ts'
import { event, freshId, queuedRun } from '../test/samples.ts'
import { eventsOf, runStream } from './events.ts'
import { applyUnderLease, leaseDue } from './leases.ts'
import { planOf, putPlan } from './plans.ts'
import { setDesired, listRuns, runOf } from './runs.ts'

onEachDatabase((opened) => {
  test('a new run waits, is due at once, and its plan and first event are there', async () => {
    const { database } = opened()
    const id = await queuedRun(database, { at: 5 })
    expect(await runOf(database, id)).toMatchObject({
      state: 'queued',
      desired: 'run',
      attempt: 0,
      created_by: 'ada',
      ended_at: null,
      version: 1,
    })
    expect(await eventsOf(database, runStream(id), { after: 0, limit: 9 })).toMatchObject([{ kind: 'run-created', actor: 'ada', at: 5 }])
    expect(await planOf(database, 'plan-1')).toMatchObject({ kind: 'TrainingPlan', body: { step_s: 0.5 } })
    expect(await runOf(database, 'none')).toBeUndefined()
  })

  test('a plan stored again is the one that was there', async () => {
    const { database } = opened()
    const id = freshId('plan')
    await putPlan(database, { id, kind: 'TrainingPlan', body: { of: 1 }, created_at: 1 }, 'search')
    await putPlan(database, { id, kind: 'TrainingPlan', body: { of: 1 }, created_at: 2 }, 'vision')
    expect(await planOf(database, id)).toMatchObject({ created_at: 1 })
    expect(await planOf(database, id, ['vision'])).toMatchObject({ id })
    expect(await planOf(database, id, ['other'])).toBeUndefined()
  })

  test('lists newest first, in pages without gap or repetition when times are equal, by project and state', async () => {
    const { database } = opened()
    const project = freshId('project')
    const ids: string[] = []
    for (const at of [10, 20, 20, 20, 30]) ids.push(await queuedRun(database, { at, project }))
    const first = await listRuns(database, { projects: [project] }, { limit: 2 })
    const last = first.at(-1)
    const rest = await listRuns(database, { projects: [project], states: ['queued'] }, { limit: 9, ...(last ? { before: last } : {}) })
    const listed = [...first, ...rest].map(({ id }) => id)
    expect(listed.toSorted()).toEqual(ids.toSorted())
    expect([listed[0], listed[4]]).toEqual([ids[4], ids[0]])
    expect(await listRuns(database, { projects: [project], states: ['running', 'failed'] }, { limit: 9 })).toEqual([])
  })

  test('what a person wants is written once with its event, and not of a run that has ended', async () => {
    const { database } = opened()
    const run_id = await queuedRun(database)
    const cancel = { run_id, desired: 'cancel' } as const
    expect(await setDesired(database, cancel, event('cancel-requested'))).toBe('applied')
    expect(await setDesired(database, cancel, event('cancel-requested'))).toBe('unchanged')
    expect((await eventsOf(database, runStream(run_id), { after: 0, limit: 9 })).map(({ kind }) => kind)).toEqual([
      'run-created',
      'cancel-requested',
    ])
    const leases = await leaseDue(database, { holder: 'a', at: 1e6, lease_s: 10, limit: 1000 })
    const token = leases.find(({ run }) => run.id === run_id)?.token ?? 0
    expect(await applyUnderLease(database, { run_id, token }, { at: 7, state: 'cancelled', events: [event('run-ended')] })).toBe('applied')
    expect(await setDesired(database, { run_id, desired: 'run' }, event('resumed'))).toBe('ended')
    expect(await setDesired(database, { run_id: 'none', desired: 'run' }, event('resumed'))).toBe('unknown')
  })

  test.each(['succeeded', 'failed', 'cancelled'] as const)('%s is final, whichever client writes to the database', async (state) => {
    const { database } = opened()
    const id = await queuedRun(database)
    await database.updateTable('runs').set({ state, ended_at: 9 }).where('id', '=', id).execute()
    const update = database.updateTable('runs').where('id', '=', id)
    await expect(update.set({ state: 'running', ended_at: null }).execute()).rejects.toThrow(
      `run ${id} has ended as ${state} and does not change`,
    )
    await expect(update.set({ desired: 'cancel' }).execute()).rejects.toThrow('does not change')
    await database.deleteFrom('leases').where('run_id', '=', id).execute()
    await expect(database.deleteFrom('runs').where('id', '=', id).execute()).rejects.toThrow('does not change')
  })

  test('the attempt of a run, its fence, does not go back', async () => {
    const { database } = opened()
    const id = await queuedRun(database)
    const update = database.updateTable('runs').where('id', '=', id)
    await update.set({ attempt: 2 }).execute()
    await expect(update.set({ attempt: 1 }).execute()).rejects.toThrow(`run ${id} is at attempt 2 and does not go back`)
  })
})
