// Runs and attempts in words and tables.

import { isTerminal, NEXT_STEP } from '@ironlaw/contracts'
import type { AttemptView, EventView, RunView } from '@ironlaw/contracts/api'
import { seconds, show } from '@ironlaw/units'
import { paint } from '../paint.ts'
import { table } from '../table.ts'

const COLOUR = {
  queued: 'yellow',
  starting: 'yellow',
  checking: 'yellow',
  running: 'green',
  unreachable: 'red',
  recovering: 'yellow',
  cancelling: 'yellow',
  succeeded: 'green',
  failed: 'red',
  cancelled: 'dim',
} as const satisfies Record<RunView['state'], string>

export const stateText = (state: RunView['state']): string => paint(COLOUR[state], state)

export const showDuration = (span_s: number): string => show(seconds(Math.max(0, span_s)), 's')

/** In the style of cluster schedulers: two units, the smaller one in full. */
export function showAge(span_s: number): string {
  const whole = Math.max(0, Math.round(span_s))
  const [days, hours, minutes, rest] = [Math.floor(whole / 86_400), Math.floor(whole / 3600) % 24, Math.floor(whole / 60) % 60, whole % 60]
  const two = (value: number): string => String(value).padStart(2, '0')
  if (days > 0) return `${days}d${two(hours)}h`
  if (hours > 0) return `${hours}h${two(minutes)}m`
  return minutes > 0 ? `${minutes}m${two(rest)}s` : `${rest}s`
}

export const showClock = (at: number): string => new Date(1000 * at).toISOString().slice(0, 19).replace('T', ' ')

export function runsTable(runs: readonly RunView[], now: number): string {
  return table(
    ['RUN', 'STATE', 'STEP', 'LOSS', 'STEP TIME', 'PREDICTED', 'LEFT', 'ATTEMPT', 'AGE', 'WHY'],
    runs.map((run) => [
      run.id,
      stateText(run.state),
      stepText(run),
      run.loss === undefined ? '' : lossText(run.loss),
      run.step_s === undefined ? '' : showDuration(run.step_s),
      run.predicted_step_s === undefined ? '' : showDuration(run.predicted_step_s),
      timeLeftText(run),
      String(run.attempt),
      showAge(now - run.created_at),
      run.outcome && run.state !== 'succeeded' ? run.outcome.detail : run.why,
    ]),
    [2, 3, 4, 5, 6, 7, 8],
  )
}

/** Before its first step a run has only its prediction, which does not include the wait. */
function timeLeftText(run: RunView): string {
  const left = run.step === undefined || isTerminal(run.state) ? undefined : timeLeft(run)
  return left === undefined ? '' : showAge(left)
}

const lossText = (loss: number | null): string => (loss === null ? 'not a number' : loss.toFixed(3))

const stepText = ({ step, steps }: RunView): string => (step === undefined ? '' : steps === undefined ? `${step}` : `${step}/${steps}`)

/** Steps left at the pace seen, or, before any step, at the predicted one. */
export function timeLeft({ step = 0, steps, step_s, predicted_step_s }: RunView): number | undefined {
  const pace = step_s ?? predicted_step_s
  return steps === undefined || pace === undefined ? undefined : Math.max(0, steps - step) * pace
}

export function attemptsTable(attempts: readonly AttemptView[]): string {
  return table(
    ['ATTEMPT', 'STATE', 'NODES', 'ALLOCATIONS', 'QUEUED', 'TO FIRST STEP', 'LAST STEP', 'LASTED', 'OUTCOME'],
    attempts.map((attempt) => [
      String(attempt.number),
      attempt.check ? `${attempt.state}, a check` : attempt.state,
      attempt.placed?.join(',') ?? String(attempt.nodes),
      attempt.allocations?.join(',') ?? '',
      durationBetween(attempt.submitted_at, attempt.started_at),
      durationBetween(attempt.started_at, attempt.first_step_at),
      attempt.last_step === undefined ? '' : String(attempt.last_step),
      durationBetween(attempt.started_at ?? attempt.submitted_at, attempt.ended_at),
      attempt.outcome ? `${attempt.outcome.cause}: ${attempt.outcome.detail}` : '',
    ]),
    [0, 4, 5, 6, 7],
  )
}

const durationBetween = (from: number | undefined, to: number | undefined): string =>
  from === undefined || to === undefined ? '' : showDuration(to - from)

export const eventLine = ({ at, kind, actor, body }: EventView): string =>
  `${paint('dim', showClock(at))}  ${kind.padEnd(20)} ${paint('dim', actor.padEnd(12))} ${bodyText(body)}`

/** Leaves out the time, which the line already has, and empty fields. */
const bodyText = (body: EventView['body']): string =>
  Object.entries(body)
    .filter(([name]) => name !== 'at')
    .flatMap(fieldText)
    .join(' ')

function fieldText([name, value]: readonly [string, unknown]): readonly string[] {
  if (value === null || value === '') return []
  if (Array.isArray(value)) return value.length === 0 ? [] : [`${name}=${value.map(valueText).join(',')}`]
  return typeof value === 'object' ? Object.entries(value ?? {}).flatMap(fieldText) : [`${name}=${valueText(value)}`]
}

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

export function outcomeText({ outcome }: RunView): string {
  return outcome ? `${outcome.cause}: ${outcome.detail}\n  ${paint('dim', 'next:')} ${NEXT_STEP[outcome.cause]}` : ''
}
