// Random histories. On one connection every answer is foretold by a model of a few lines; on the server several actors act at once,
// and what must hold afterwards is checked.

import { isTerminal, type RunState } from '@ironlaw/contracts'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { onEachDatabase } from '../test/each-database.ts'
import { event, queuedRun, report } from '../test/samples.ts'
import type { Database } from './database.ts'
import { eventsOf, runStream, verifyChain } from './events.ts'
import { applyUnderLease, giveBack, leaseDue, wake } from './leases.ts'
import { recordReport } from './reports.ts'
import { setDesired, runOf } from './runs.ts'

const RUNS = 3
const LEASE_S = 5

const run = fc.nat({ max: RUNS - 1 })
/** How far behind the newest token the lessee is that writes. */
const behind = fc.constantFrom(0, 0, 0, 1)
const state = fc.constantFrom<RunState>('starting', 'running', 'running', 'unreachable', 'recovering', 'succeeded', 'failed')

const action = fc.oneof(
  fc.record({ do: fc.constant('lease' as const), limit: fc.integer({ min: 1, max: RUNS }) }),
  fc.record({ do: fc.constant('apply' as const), run, behind, state, raise: fc.boolean(), keep: fc.boolean() }),
  fc.record({ do: fc.constant('give-back' as const), run, behind }),
  fc.record({ do: fc.constant('wake' as const), run }),
  fc.record({ do: fc.constant('cancel' as const), run }),
  fc.record({ do: fc.constant('report' as const), run, behind, exit: fc.boolean() }),
  fc.record({ do: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 4 }) }),
)
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never

type Model = { id: string; state: RunState; attempt: number; token: number; next: number; until: number; cancel: boolean; events: number }

async function freshRuns(database: Database): Promise<Model[]> {
  await database.deleteFrom('leases').execute()
  const models: Model[] = []
  for (let each = 0; each < RUNS; each += 1) {
    const id = await queuedRun(database, { at: 0 })
    models.push({ id, state: 'queued', attempt: 0, token: 0, next: 0, until: 0, cancel: false, events: 1 })
  }
  return models
}

const exits = [{ node: 'n1', index: 0, rank: 0, code: 1, signal: null, at: 1, tail: '' }]

type Situation = { readonly database: Database; readonly at: number; readonly sequence: number }

/** Executes an action on the database and returns the answer that the caller would get. */
async function carryOut(
  action: Exclude<Action, { do: 'pass' | 'lease' }>,
  seen: Model,
  { database, at, sequence }: Situation,
): Promise<string> {
  const held = { run_id: seen.id, token: seen.token - ('behind' in action ? action.behind : 0) }
  switch (action.do) {
    case 'apply': {
      const raised = action.raise ? { attempt: seen.attempt + 1 } : {}
      const events = [{ ...event('run-changed', at), body: { token: held.token } }] as const
      return applyUnderLease(database, held, {
        at,
        events,
        state: action.state,
        ...raised,
        ...(action.keep ? {} : { next_look_at: at + 2 }),
      })
    }
    case 'give-back':
      await giveBack(database, [{ ...held, next_look_at: at + 3 }])
      return 'given'
    case 'wake':
      await wake(database, { run_id: seen.id, at })
      return 'woken'
    case 'cancel':
      return setDesired(database, { run_id: seen.id, desired: 'cancel' }, event('cancel-requested', at))
    case 'report': {
      const sent = report(sequence, action.exit ? { exits } : {})
      const received = { run_id: seen.id, attempt: seen.attempt - action.behind, received_at: at, report: sent }
      return (await recordReport(database, received)).recorded
    }
  }
}

/** What the model says must be answered, after which it has moved on. */
function advanceModel(action: Exclude<Action, { do: 'pass' | 'lease' }>, model: Model, at: number): string {
  const ended = isTerminal(model.state)
  const current = !ended && 'behind' in action && action.behind === 0
  const wakeUp = (): void => void (model.next = Math.min(model.next, at))
  const free = (next: number): void => Object.assign(model, { next: model.next < model.until ? model.next : next, until: 0 }) && undefined
  switch (action.do) {
    case 'apply':
      if (!current) return 'stale'
      Object.assign(model, { state: action.state, attempt: model.attempt + (action.raise ? 1 : 0), events: model.events + 1 })
      if (!action.keep) free(at + 2)
      return 'applied'
    case 'give-back':
      if (current) free(at + 3)
      return 'given'
    case 'wake':
      wakeUp()
      return 'woken'
    case 'cancel':
      wakeUp()
      if (ended) return 'ended'
      if (model.cancel) return 'unchanged'
      Object.assign(model, { cancel: true, events: model.events + 1 })
      return 'applied'
    case 'report':
      if (action.exit) wakeUp()
      if (action.behind > 0) return 'fenced'
      if (action.exit) model.events += 1
      return 'recorded'
  }
}

function advanceLeases(models: readonly Model[], at: number, limit: number): ReadonlySet<string> | undefined {
  const due = models.filter(({ state, next, until }) => !isTerminal(state) && next <= at && until <= at).toSorted((a, b) => a.next - b.next)
  const [taken, left] = [due.slice(0, limit), due.slice(limit)]
  if (taken.at(-1)?.next === left[0]?.next && left.length > 0) return undefined
  for (const model of taken) Object.assign(model, { token: model.token + 1, until: at + LEASE_S, next: at + LEASE_S })
  return new Set(taken.map(({ id }) => id))
}

onEachDatabase(
  (opened) => {
    test('one after another, every answer is the one foretold', { timeout: 60_000 }, async () => {
      const { database } = opened()
      await fc.assert(
        fc.asyncProperty(fc.array(action, { minLength: 10, maxLength: 40, size: 'max' }), async (actions) => {
          const models = await freshRuns(database)
          let at = 0
          for (const [sequence, each] of actions.entries()) {
            if (each.do === 'pass') at += each.seconds
            else if (each.do === 'lease') {
              const want = advanceLeases(models, at, each.limit)
              if (!want) continue
              const leases = await leaseDue(database, { holder: 'h', at, lease_s: LEASE_S, limit: each.limit })
              expect(new Set(leases.map((lease) => lease.run.id))).toEqual(want)
              for (const lease of leases) expect(lease.token).toBe(models.find(({ id }) => id === lease.run.id)?.token)
            } else {
              const model = models[each.run] ?? expect.unreachable()
              if (model.token === 0 && each.do !== 'cancel' && each.do !== 'wake') continue
              const seen = { ...model }
              expect(await carryOut(each, seen, { database, at, sequence: sequence + 1 })).toBe(advanceModel(each, model, at))
            }
          }
          for (const model of models) {
            expect(await runOf(database, model.id)).toMatchObject({ state: model.state, attempt: model.attempt })
            expect(await verifyChain(database, runStream(model.id))).toMatchObject({ intact: true, events: model.events })
          }
        }),
        { numRuns: 40 },
      )
    })
  },
  (opened) => {
    test('at once, no write is lost, doubled or let through by a stale token', { timeout: 60_000 }, async () => {
      const { database } = opened()
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(action, { minLength: 5, maxLength: 15, size: 'max' }), { minLength: 4, maxLength: 4 }),
          async (actors) => {
            const models = await freshRuns(database)
            const written = new Map(models.map(({ id }) => [id, 1]))
            let sequence = 0
            const act = async (actions: readonly Action[]): Promise<void> => {
              const tokens = new Map<string, Model>()
              let at = 0
              for (const each of actions) {
                if (each.do === 'pass') at += each.seconds
                else if (each.do === 'lease')
                  for (const { run, token } of await leaseDue(database, { holder: 'h', at, lease_s: LEASE_S, limit: each.limit }))
                    tokens.set(run.id, { ...(models[0] ?? expect.unreachable()), id: run.id, attempt: run.attempt, token })
                else {
                  const known = models[each.run] ?? expect.unreachable()
                  const seen = tokens.get(known.id) ?? known
                  const answer = await carryOut(each.do === 'apply' ? { ...each, raise: false } : each, seen, {
                    database,
                    at,
                    sequence: (sequence += 1),
                  })
                  const tells = answer === 'applied' || (answer === 'recorded' && each.do === 'report' && each.exit)
                  if (tells) written.set(known.id, (written.get(known.id) ?? 0) + 1)
                }
              }
            }
            await Promise.all(actors.map(act))
            for (const { id } of models) {
              expect(await verifyChain(database, runStream(id))).toMatchObject({ intact: true, events: written.get(id) })
              const ended = isTerminal((await runOf(database, id))?.state ?? 'queued')
              const leases = await database.selectFrom('leases').select('token').where('run_id', '=', id).execute()
              expect(leases.length).toBe(ended ? 0 : 1)
              const events = await eventsOf(database, runStream(id), { after: 0, limit: 1000 })
              const tokens = events.filter(({ kind }) => kind === 'run-changed').map(({ body }) => Number(body['token']))
              expect(tokens).toEqual(tokens.toSorted((a, b) => a - b))
            }
          },
        ),
        { numRuns: 60 },
      )
    })
  },
)
