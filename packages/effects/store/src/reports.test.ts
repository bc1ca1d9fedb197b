import type { Report } from '@ironlaw/contracts/report'
import { expect, test } from 'vitest'
import { onEachDatabase } from '../test/each-database.ts'
import { queuedRun, report } from '../test/samples.ts'
import type { Database } from './database.ts'
import { eventsOf, runStream } from './events.ts'
import { leaseDue, wake } from './leases.ts'
import {
  checkpointsOf,
  recentSteps,
  recentStepsOf,
  type ReportOutcome,
  recordReport,
  recordReports,
  stepsAfter,
  vitalsOf,
  pacesOf,
} from './reports.ts'

const step = (number: number): Report['steps'][number] => ({
  step: number,
  at: 2000 + number,
  seconds: 1,
  tokens: 64,
  loss: 3,
  world: 2,
  phases_s: { compute: 1 },
})
const exit = (rank: number): Report['exits'][number] => ({ node: 'n1', index: 0, rank, code: null, signal: 9, at: 1, tail: 'Killed\u0000' })
const beat = (node: string, index: number): Report['beats'][number] => ({
  node,
  index,
  host: node,
  age_s: 0.1,
  ranks: [{ rank: index, step: 4, phase: 'compute', phase_age_s: 0.2, alive: true }],
})
const checkpoint = { state: 'committed', step: 100, attempt: 1, bytes: 2 ** 40, write_s: 2, pause_s: 0.5, at: 5, manifest: 'm' } as const

async function runAtAttempt(database: Database, attempt: number): Promise<string> {
  const run_id = await queuedRun(database)
  await database.updateTable('runs').set({ attempt }).where('id', '=', run_id).execute()
  return run_id
}

onEachDatabase(
  (opened) => {
    const record = async (run_id: string, sent: Report, attempt = 1): Promise<ReportOutcome> =>
      (await recordReport(opened().database, { run_id, attempt, received_at: 1000 + sent.sequence, report: sent })).recorded

    test('everything in a report is recorded once, however often it is sent', async () => {
      const { database } = opened()
      const run_id = await runAtAttempt(database, 1)
      const notes = [{ kind: 'completed', at: 1, detail: { step: 9 } }] as const
      const sent = report(3, {
        beats: [beat('n1', 0)],
        steps: [step(8), step(7)],
        exits: [exit(1), { ...exit(2), killed: true }],
        checkpoints: [checkpoint],
        notes: [...notes],
      })
      expect(await record(run_id, sent)).toBe('recorded')
      expect(await record(run_id, sent)).toBe('repeated')
      expect(await record(run_id, report(2, { steps: [step(6)] }))).toBe('repeated')
      const { tail: _, ...rest } = exit(1)
      const kept = { ...rest, words: 'Killed' }
      expect((await vitalsOf(database, [run_id])).get(run_id)).toEqual([
        {
          run_id,
          attempt: 1,
          node_index: 0,
          node: 'n1',
          sequence: 3,
          received_at: 1003,
          beats: [beat('n1', 0)],
          beats_at: 1003,
          exits: [kept, { ...kept, rank: 2, killed: true }],
          completed: { step: 9 },
          readings: [],
          first_step_at: 2007,
          last_step: 8,
          last_step_at: 2008,
        },
      ])
      expect(await stepsAfter(database, run_id, { limit: 9 })).toMatchObject([{ first_step: 7, last_step: 8, rows: [step(7), step(8)] }])
      expect(await checkpointsOf(database, run_id)).toEqual([{ ...checkpoint, run_id, reported_in: 1 }])
      const events = await eventsOf(database, runStream(run_id), { after: 1, limit: 9 })
      expect(events).toMatchObject([
        { kind: 'rank-exited', actor: 'agent/n1', at: 1003, body: { attempt: 1, rank: 1, signal: 9, tail: 'Killed\uFFFD' } },
        { kind: 'rank-exited', body: { rank: 2, killed: true } },
        { kind: 'agent-completed', body: { attempt: 1, at: 1, detail: { step: 9 } } },
      ])
    })

    test('of what a program printed last one line is kept at hand, without what terminals act on', async () => {
      const { database } = opened()
      const run_id = await runAtAttempt(database, 1)
      const tail = `Traceback\n\u001B[31mpython3: can't open file\u0007 'nope.py'${'x'.repeat(300)}\n \n`
      await record(
        run_id,
        report(1, {
          exits: [
            { ...exit(0), tail, started: false },
            { ...exit(1), tail: '' },
          ],
        }),
      )
      const [first, second] = (await vitalsOf(database, [run_id])).get(run_id)?.[0]?.exits ?? []
      expect(first).toMatchObject({ started: false, words: expect.stringMatching(/^python3: can't open file 'nope.py'x+$/) })
      expect(first?.words).toHaveLength(200)
      expect(second).not.toHaveProperty('words')
    })

    test('how runs learn is computed for many at once', async () => {
      const { database } = opened()
      const [told, untold, silent] = [await runAtAttempt(database, 1), await runAtAttempt(database, 1), await runAtAttempt(database, 1)]
      const timedStep = (number: number, seconds: number, loss?: number | null) => {
        const { loss: _, ...row } = step(number)
        return { ...row, seconds, ...(loss !== undefined && { loss }) }
      }
      await record(told, report(1, { steps: [timedStep(1, 9, 5)] }))
      await record(told, report(2, { steps: [timedStep(3, 2, null), timedStep(2, 4, 4)] }))
      await record(untold, report(1, { steps: [timedStep(1, 1)] }))
      const paces = await pacesOf(database, { run_ids: [told, untold, silent], batches: 1 })
      expect(Object.fromEntries(paces)).toEqual({
        [told]: { step_s: 2, loss: null, tells_loss: true },
        [untold]: { step_s: 1, loss: null, tells_loss: false },
      })
      expect((await pacesOf(database, { run_ids: [told], batches: 2 })).get(told)).toMatchObject({ step_s: 3 })
      expect((await pacesOf(database, { run_ids: [], batches: 1 })).size).toBe(0)
      await record(silent, report(1, { steps: [timedStep(10, 30), timedStep(20, 5), timedStep(30, 5)] }))
      expect((await pacesOf(database, { run_ids: [silent], batches: 1 })).get(silent)).toMatchObject({ step_s: 0.5 })
    })

    test('later reports add: beats are replaced, unless none came; exits gather; the first step stays', async () => {
      const { database } = opened()
      const run_id = await runAtAttempt(database, 1)
      await record(run_id, report(1, { beats: [beat('n1', 0)], steps: [step(1)] }))
      await record(run_id, report(2, { beats: [beat('n1', 0), beat('n2', 1)], steps: [step(2)], exits: [exit(0)] }))
      await record(run_id, report(7, { exits: [exit(1)] }))
      await record(run_id, report(1, { index: 1, node: 'n2', beats: [beat('n2', 1)] }))
      expect((await vitalsOf(database, [run_id])).get(run_id)).toMatchObject([
        {
          sequence: 7,
          received_at: 1007,
          beats: [{ node: 'n1' }, { node: 'n2' }],
          beats_at: 1002,
          exits: [{ rank: 0 }, { rank: 1 }],
          first_step_at: 2001,
          last_step: 2,
        },
        { node: 'n2', node_index: 1, sequence: 1, last_step: null },
      ])
    })

    test('a report of an earlier attempt is fenced, of a later one or no run unknown; nothing of it is written', async () => {
      const { database } = opened()
      const run_id = await runAtAttempt(database, 2)
      const sent = report(1, { beats: [beat('n1', 0)], steps: [step(1)], exits: [exit(0)], checkpoints: [checkpoint] })
      expect(await record(run_id, sent, 1)).toBe('fenced')
      expect(await record(run_id, sent, 3)).toBe('unknown')
      expect(await record('none', sent)).toBe('unknown')
      expect(await database.selectFrom('beats').selectAll().where('run_id', 'in', [run_id, 'none']).execute()).toEqual([])
      expect(await stepsAfter(database, run_id, { limit: 9 })).toEqual([])
      expect(await checkpointsOf(database, run_id)).toEqual([])
      expect(await eventsOf(database, runStream(run_id), { after: 1, limit: 9 })).toEqual([])
    })

    test('reports taken together are answered each for itself, in their order', async () => {
      const { database } = opened()
      const [one, two] = [await runAtAttempt(database, 1), await runAtAttempt(database, 2)]
      await record(one, report(4, { steps: [step(1)] }))
      const receivedReport = (run_id: string, attempt: number, sent: Report) => ({ run_id, attempt, received_at: 1000, report: sent })
      const answers = await recordReports(database, [
        receivedReport(two, 2, report(1, { beats: [beat('n1', 0)], checkpoints: [checkpoint] })),
        receivedReport(one, 1, report(5, { steps: [step(2)] })),
        receivedReport(one, 1, report(6, { steps: [step(4), step(3)] })),
        receivedReport(one, 1, report(6, { steps: [step(5)] })),
        receivedReport(one, 1, report(1, { index: 1, steps: [step(6)] })),
        receivedReport(two, 1, report(9)),
        receivedReport('none', 1, report(1)),
        receivedReport(one, 1, report(4)),
      ])
      const expected = ['recorded', 'recorded', 'recorded', 'repeated', 'recorded', 'fenced', 'unknown', 'repeated']
      expect(answers.map(({ recorded }) => recorded)).toEqual(expected)
      expect(answers[0]).toEqual({ recorded: 'recorded', state: 'queued', desired: 'run' })
      const steps = await stepsAfter(database, one, { limit: 9 })
      expect(steps.map(({ sequence, rows }) => [sequence, rows.map((row) => row.step)])).toEqual([
        [4, [1]],
        [5, [2]],
        [6, [3, 4]],
        [1, [6]],
      ])
      expect((await vitalsOf(database, [one])).get(one)).toMatchObject([
        { sequence: 6, last_step: 4, first_step_at: 2001 },
        { sequence: 1 },
      ])
      expect(await checkpointsOf(database, two)).toHaveLength(1)
      expect(await recordReports(database, [])).toEqual([])
    })

    test('an attempt keeps its first exits at hand, and the events keep all', async () => {
      const { database } = opened()
      const run_id = await runAtAttempt(database, 1)
      for (const sequence of [1, 2, 3])
        await record(run_id, report(sequence, { exits: Array.from({ length: 40 }, (_, rank) => exit(rank)) }))
      expect((await vitalsOf(database, [run_id])).get(run_id)?.[0]?.exits.length).toBe(80)
      expect((await eventsOf(database, runStream(run_id), { after: 1, limit: 999 })).length).toBe(120)
    })

    test('an exit asks for a look at once, a beat does not', async () => {
      const { database } = opened()
      await database.deleteFrom('leases').execute()
      const run_id = await runAtAttempt(database, 1)
      await database.updateTable('leases').set({ next_look_at: 2100 }).where('run_id', '=', run_id).execute()
      await record(run_id, report(1, { beats: [beat('n1', 0)] }))
      expect(await leaseDue(database, { holder: 'a', at: 2000, lease_s: 9, limit: 9 })).toEqual([])
      await record(run_id, report(2, { exits: [exit(0)] }))
      expect(await leaseDue(database, { holder: 'a', at: 2000, lease_s: 9, limit: 9 })).toHaveLength(1)
    })

    test('steps come in pages over attempts, and the newest of one attempt first', async () => {
      const { database } = opened()
      const run_id = await runAtAttempt(database, 1)
      for (const each of [1, 2, 3]) await record(run_id, report(each, { steps: [step(each)] }))
      await database.updateTable('runs').set({ attempt: 2 }).where('id', '=', run_id).execute()
      for (const each of [1, 2]) await record(run_id, report(each, { steps: [step(each + 1)] }), 2)
      const first = await stepsAfter(database, run_id, { limit: 3 })
      const last = first.at(-1)
      const rest = await stepsAfter(database, run_id, { limit: 3, ...(last ? { after: last } : {}) })
      expect([...first, ...rest].map(({ attempt, first_step }) => [attempt, first_step])).toEqual([
        [1, 1],
        [1, 2],
        [1, 3],
        [2, 2],
        [2, 3],
      ])
      expect((await recentSteps(database, { run_id, attempt: 1, batches: 2 })).map(({ first_step }) => first_step)).toEqual([3, 2])
      const recent = await recentStepsOf(database, { run_ids: [run_id, 'none'], batches: 1 })
      expect([...recent].map(([id, batches]) => [id, batches.map(({ attempt, first_step }) => [attempt, first_step])])).toEqual([
        [run_id, [[2, 3]]],
      ])
    })
  },
  (opened) => {
    test('the same report sent 8 times at once is recorded once', async () => {
      const { database } = opened()
      const run_id = await runAtAttempt(database, 1)
      const sent = report(1, { steps: [step(1)], exits: [exit(0)] })
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => recordReport(database, { run_id, attempt: 1, received_at: 1, report: sent })),
      )
      expect(answers.map(({ recorded }) => recorded).toSorted()).toEqual(['recorded', ...Array.from({ length: 7 }, () => 'repeated')])
      expect(await eventsOf(database, runStream(run_id), { after: 1, limit: 9 })).toHaveLength(1)
    })

    test('batches with the same senders in opposite orders do not wait for each other forever', async () => {
      const { database } = opened()
      const runs: string[] = []
      for (let each = 0; each < 20; each += 1) runs.push(await runAtAttempt(database, 1))
      const batch = (sequence: number) => runs.map((run_id) => ({ run_id, attempt: 1, received_at: 1, report: report(sequence) }))
      const rounds = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? batch(index + 1) : batch(index + 1).toReversed()))
      const answers = await Promise.all(rounds.map((each) => recordReports(database, each)))
      expect(answers.flat()).toHaveLength(400)
      expect([...(await vitalsOf(database, runs)).values()].every(([vitals]) => vitals?.sequence === 20)).toBe(true)
    })

    test('a report that meets the next attempt on its way waits for it, and is fenced', async () => {
      const { database } = opened()
      const run_id = await runAtAttempt(database, 1)
      const { promise: raised, resolve: hasRaised } = Promise.withResolvers<void>()
      const raising = database.transaction().execute(async (transaction) => {
        await wake(transaction, { run_id, at: 1 })
        await transaction.updateTable('runs').set({ attempt: 2 }).where('id', '=', run_id).execute()
        hasRaised()
        await new Promise((resolve) => setTimeout(resolve, 50))
      })
      await raised
      const answers = [{ steps: [step(1)] }, { exits: [exit(0)] }].map((fields, index) =>
        recordReport(database, { run_id, attempt: 1, received_at: 1, report: report(1, { index, ...fields }) }),
      )
      expect(await Promise.all(answers)).toMatchObject([{ recorded: 'fenced' }, { recorded: 'fenced' }])
      await raising
      expect(await stepsAfter(database, run_id, { limit: 9 })).toEqual([])
    })
  },
)
