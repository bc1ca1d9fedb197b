import { apiError } from '@ironlaw/contracts'
import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { type CallEffect, type CallEvent, type CallState, newCall, type Prospects, transition } from './call-state.ts'

type Attempt = { readonly isTrial: boolean; status: number | undefined }
type Event = CallEvent<Attempt>
type State = CallState<Attempt>

const GOOD: Prospects = { servingCanTake: true, hasReady: true, maxAttempts: 2, left_s: 1 }
const ALONE: Prospects = { servingCanTake: false, hasReady: false, maxAttempts: 2, left_s: 1 }
const DONE = { kind: 'body', body: Buffer.from('{}'), usage: undefined } as const
const error = apiError('deadline_exceeded', 'late')

const attempt = (status?: number, isTrial = false): Attempt => ({ isTrial, status })

/** The state after some events, and the effects of the last one by name. */
function after(...events: readonly Event[]): {
  readonly state: State
  readonly does: readonly string[]
  readonly effects: readonly CallEffect<Attempt>[]
} {
  let step = { state: newCall<Attempt>(), effects: [] as readonly CallEffect<Attempt>[] }
  for (const event of events) step = transition(step.state, event)
  return { ...step, does: step.effects.map((effect) => effect.do) }
}

const sent = (one: Attempt): readonly Event[] => [{ kind: 'admitted' }, { kind: 'placed' }, { kind: 'sent', attempt: one }]
const declined = (one: Attempt, status: number, prospects: Prospects): Event => ({ kind: 'declined', attempt: one, status, prospects })
const lost = (one: Attempt, prospects: Prospects): Event => ({ kind: 'lost', attempt: one, reason: 'reset', prospects })

describe('a request', () => {
  const first = attempt(200)
  const second = attempt(200)
  const begun: readonly Event[] = [...sent(first), { kind: 'first-byte', attempt: first }]
  const streaming: readonly Event[] = [...begun, { kind: 'passed-on' }]
  const failed = attempt(500)
  const refused = attempt(400)
  const tried = attempt(400, true)

  test.each<[string, readonly Event[], State['kind'], readonly string[]]>([
    ['asks for a pool when it is admitted', [{ kind: 'admitted' }], 'waiting', ['choose-pool']],
    ['is sent when it has a place', [{ kind: 'placed' }], 'waiting', ['send']],
    ['is refused when no replica takes it', [{ kind: 'unsent', canMove: false }], 'done', ['finish']],
    ['moves to what serves when its trial takes nothing', [{ kind: 'unsent', canMove: true }], 'waiting', ['choose-pool']],
    ['is answered', [...begun, { kind: 'completed', attempt: first, result: DONE }], 'done', ['leave', 'finish']],
    ['is answered without a body', [...sent(refused), { kind: 'completed', attempt: refused, result: DONE }], 'done', ['leave', 'finish']],
    ['is answered from the cache', [{ kind: 'completed', result: { kind: 'cached', body: DONE.body } }], 'done', ['finish']],
    ['is tried again when its replica is lost', [...sent(first), lost(first, GOOD)], 'waiting', ['leave', 'forget-answer', 'retry']],
    ['is tried again before a byte is passed on', [...begun, lost(first, GOOD)], 'waiting', ['leave', 'forget-answer', 'retry']],
    ['is cut when its replica is lost later', [...streaming, lost(first, GOOD)], 'done', ['leave', 'finish']],
    ['is not tried again when its time is up', [...sent(first), lost(first, { ...GOOD, left_s: 0 })], 'done', ['leave', 'finish']],
    [
      'fails on two replicas by its own fault',
      [...sent(failed), declined(failed, 500, GOOD), { kind: 'sent', attempt: failed }, declined(failed, 500, GOOD)],
      'sent',
      ['count'],
    ],
    [
      'is tried elsewhere when a replica fails it',
      [...sent(failed), declined(failed, 500, GOOD)],
      'waiting',
      ['leave', 'forget-answer', 'retry'],
    ],
    ['gets the failure where no other replica is', [...sent(failed), declined(failed, 500, ALONE)], 'sent', []],
    ['gets the refusal of what serves', [...sent(refused), declined(refused, 400, GOOD)], 'sent', []],
    [
      'moves when a trial refuses it',
      [...sent(tried), declined(tried, 400, { ...GOOD, left_s: 0 })],
      'waiting',
      ['leave', 'forget-answer', 'count', 'choose-pool'],
    ],
    ['gets the refusal of a trial that is alone', [...sent(tried), declined(tried, 400, ALONE)], 'sent', []],
    [
      'leaves a full replica in good repute',
      [...sent(first), declined(first, 429, GOOD)],
      'waiting',
      ['record-start', 'leave', 'forget-answer', 'retry'],
    ],
    ['is hedged', [...sent(first), { kind: 'hedge-due', maxAttempts: 2 }], 'sent', ['hedge']],
    ['is hedged once', [...sent(first), { kind: 'hedge-due', maxAttempts: 3 }, { kind: 'hedge-due', maxAttempts: 3 }], 'sent', []],
    ['goes on with the other attempt', [...sent(first), { kind: 'sent', attempt: second }, lost(first, GOOD)], 'sent', ['leave']],
    [
      'keeps the first attempt that answers',
      [...sent(first), { kind: 'sent', attempt: second }, { kind: 'first-byte', attempt: second }],
      'answering',
      ['record-start', 'leave'],
    ],
    [
      'blames who failed what another answers',
      [...sent(failed), declined(failed, 500, GOOD), { kind: 'sent', attempt: first }, { kind: 'first-byte', attempt: first }],
      'answering',
      ['record-start', 'blame'],
    ],
    ['ends with its deadline in a queue', [{ kind: 'admitted' }, { kind: 'failed', error }], 'done', ['finish']],
    ['ends when its client leaves', [...streaming, { kind: 'client-left' }], 'done', ['leave', 'finish']],
    ['returns money that comes after its end', [{ kind: 'client-left' }, { kind: 'admitted' }], 'done', ['return-money']],
    ['leaves an attempt that begins after its end', [{ kind: 'client-left' }, { kind: 'sent', attempt: first }], 'done', ['leave']],
  ])('%s', (_, events, kind, does) => {
    const step = after(...events)
    expect([step.state.kind, step.does]).toEqual([kind, does])
  })

  test('counts attempts anew where it moves to', () => {
    const { state } = after(
      ...sent(tried),
      declined(tried, 400, GOOD),
      { kind: 'placed' },
      { kind: 'sent', attempt: first },
      lost(first, GOOD),
    )
    expect(state).toMatchObject({ kind: 'waiting', past: { sent: 2, sentBefore: 1, wasOnTrial: true } })
  })

  test('that what serves refuses too does not count against the trial', () => {
    const { effects } = after(
      ...sent(tried),
      declined(tried, 400, GOOD),
      { kind: 'sent', attempt: refused },
      { kind: 'completed', attempt: refused, result: DONE },
    )
    expect(effects.map((effect) => effect.do)).toEqual(['leave', 'finish'])
  })

  test.each<[string, readonly Event[], string]>([
    ['before a byte', begun, 'refused'],
    ['in a stream', streaming, 'cut'],
  ])('that fails %s is told so', (_, events, kind) => {
    expect(after(...events, { kind: 'failed', error }).effects.at(-1)).toMatchObject({ do: 'finish', result: { kind } })
  })
})

describe('whatever happens, in whatever order', () => {
  const statuses = fc.constantFrom(200, 400, 404, 429, 500, 503)
  const prospects = fc.record({
    servingCanTake: fc.boolean(),
    hasReady: fc.boolean(),
    maxAttempts: fc.integer({ min: 1, max: 3 }),
    left_s: fc.constantFrom(0, 1),
  })
  /** One thing that the outside does. Which attempt it happens to is chosen among all that were ever made, those long over too. */
  const happening = fc.record({
    kind: fc.constantFrom(
      'admitted',
      'declined',
      'first-byte',
      'passed-on',
      'lost',
      'hedge-due',
      'completed',
      'failed',
      'client-left',
      'nothing',
    ),
    which: fc.nat(7),
    status: statuses,
    prospects,
    /** How effects that ask something of the outside turn out. */
    takes: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
    isTrial: fc.boolean(),
  })
  type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never

  /** Carries effects out as a gateway does, without sockets, and keeps the books. */
  class Outside {
    state: State = newCall()
    readonly attempts: Attempt[] = []
    readonly open = new Set<Attempt>()
    reserved = 0
    returned = 0
    answers = 0
    place: 'none' | 'running' = 'none'
    #turn = 0

    dispatch(event: Event, how: Happening): void {
      if (event.kind === 'admitted') this.reserved += 1
      if (event.kind === 'sent') {
        this.attempts.push(event.attempt)
        this.open.add(event.attempt)
      }
      const wasDone = this.state.kind === 'done'
      const { state, effects } = transition(this.state, event)
      this.state = state
      if (wasDone) expect(effects.every((effect) => effect.do === 'return-money' || effect.do === 'leave')).toBe(true)
      for (const effect of effects) this.#perform(effect, how)
    }

    #perform(effect: CallEffect<Attempt>, how: Happening): void {
      this.#turn += 1
      const takes = how.takes[this.#turn % how.takes.length] === true
      switch (effect.do) {
        case 'choose-pool':
          this.place = 'running'
          if (takes) this.dispatch({ kind: 'placed' }, how)
          else this.dispatch({ kind: 'failed', error }, how)
          return
        case 'send':
        case 'retry':
        case 'hedge':
          expect(this.place).toBe('running')
          if (takes)
            this.dispatch({ kind: 'sent', attempt: { isTrial: how.isTrial && !this.state.past.wasOnTrial, status: undefined } }, how)
          else this.dispatch({ kind: 'unsent', canMove: how.isTrial }, how)
          return
        case 'leave':
          this.open.delete(effect.attempt)
          return
        case 'return-money':
          this.returned += 1
          return
        case 'finish':
          this.answers += 1
          this.returned += this.reserved - this.returned
          this.place = 'none'
          return
        case 'record-start':
        case 'forget-answer':
        case 'blame':
        case 'blame-unconfirmed':
        case 'count':
      }
    }
  }

  function happen(outside: Outside, how: Happening): void {
    const { kind, which, status } = how
    if (kind === 'nothing') return
    if (kind === 'admitted') {
      // A budget answers once.
      if (outside.reserved === 0) outside.dispatch({ kind }, how)
      return
    }
    if (kind === 'passed-on' || kind === 'client-left') outside.dispatch({ kind }, how)
    else if (kind === 'failed') outside.dispatch({ kind, error }, how)
    else if (kind === 'hedge-due') outside.dispatch({ kind, maxAttempts: how.prospects.maxAttempts }, how)
    else {
      const one = outside.attempts[which % Math.max(1, outside.attempts.length)]
      if (!one) return
      one.status ??= status
      if (kind === 'declined') outside.dispatch({ kind, attempt: one, status: one.status, prospects: how.prospects }, how)
      if (kind === 'lost') outside.dispatch({ kind, attempt: one, reason: 'reset', prospects: how.prospects }, how)
      if (kind === 'first-byte') outside.dispatch({ kind, attempt: one }, how)
      if (kind === 'completed') outside.dispatch({ kind, attempt: one, result: DONE }, how)
    }
  }

  property.prop([fc.array(happening, { maxLength: 40 })], { numRuns: 3000 })(
    'the client is answered once, money is returned once, no attempt is left open, and nothing is done after the end',
    (happenings) => {
      const outside = new Outside()
      for (const how of happenings) {
        happen(outside, how)
        const { state } = outside
        const live =
          state.kind === 'sent' ? state.attempts : state.kind === 'answering' || state.kind === 'streaming' ? [state.attempt] : []
        expect([outside.open.size, live.every((one) => outside.open.has(one))]).toEqual([live.length, true])
        expect(outside.answers).toBe(state.kind === 'done' ? 1 : 0)
        expect(outside.returned).toBe(state.kind === 'done' ? outside.reserved : 0)
        expect(state.kind === 'done' && outside.place === 'running').toBe(false)
      }
      const last = happenings.at(-1)
      if (last) outside.dispatch({ kind: 'client-left' }, last)
      expect(outside.answers).toBe(last ? 1 : 0)
      expect([outside.open.size, outside.returned]).toEqual([0, outside.reserved])
    },
  )
})
