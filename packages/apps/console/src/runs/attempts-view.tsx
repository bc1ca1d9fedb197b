// Attempts on a timeline: waiting, starting, stepping, and how each ended; checkpoints as marks.

import type { AttemptView, CheckpointView, RunView } from '@ironlaw/contracts/api'
import { memo, type ReactNode } from 'react'
import { BarBox } from '../ui/bar-box.tsx'
import { Card, Empty } from '../ui/card.tsx'
import type { CsvRow } from '../ui/csv.ts'
import { showClock, showDuration } from './run-words.tsx'

export type AttemptsViewProps = {
  readonly run: RunView
  readonly attempts: readonly AttemptView[] | undefined
  readonly checkpoints: readonly CheckpointView[]
}

export const AttemptsView = memo(({ run, attempts, checkpoints }: AttemptsViewProps): ReactNode => {
  const from = run.created_at
  const to = run.ended_at ?? Date.now() / 1000
  const timePercent = (at: number): string => `${Math.max(0, Math.min(100, (100 * (at - from)) / Math.max(1, to - from)))}%`
  return (
    <Card
      title="Attempts and faults"
      busy={!attempts}
      wide
      about={`${showClock(from)} to ${run.ended_at === undefined ? 'now' : showClock(to)}, ${showDuration(to - from)}`}
    >
      {!attempts?.length && <Empty>{attempts ? 'Nothing submitted yet.' : 'Reading…'}</Empty>}
      {attempts && attempts.length > 0 && (
        <BarBox label="Attempts and faults" heads={HEADS} rows={attempts.map(attemptRow)}>
          <ul className="attempts">
            {attempts.map((attempt) => {
              const end = attempt.ended_at ?? to
              const started = attempt.started_at ?? end
              const stepping = attempt.first_step_at ?? end
              return (
                <li key={attempt.number}>
                  <span>{attempt.number}</span>
                  <span className="attempt-line">
                    <Phase
                      className="waiting"
                      from={timePercent(attempt.submitted_at)}
                      to={timePercent(started)}
                      title={`waits ${showDuration(started - attempt.submitted_at)}`}
                    />
                    <Phase
                      className="exchange"
                      from={timePercent(started)}
                      to={timePercent(stepping)}
                      title={`${attempt.check ? 'checks its nodes for' : 'starts'} ${showDuration(stepping - started)}`}
                    />
                    <Phase
                      className="work"
                      from={timePercent(stepping)}
                      to={timePercent(end)}
                      title={`steps ${showDuration(end - stepping)}`}
                    />
                    {checkpoints
                      .filter(({ attempt: number, state }) => number === attempt.number && state === 'committed')
                      .map(({ step, at }) => (
                        <b key={step} style={{ left: timePercent(at) }} title={`checkpoint of step ${step}`} />
                      ))}
                  </span>
                  <span className="quiet">
                    {attempt.outcome
                      ? `${attempt.outcome.cause}${attempt.outcome.cause === 'completed' ? '' : `: ${attempt.outcome.detail}`}`
                      : attempt.check
                        ? 'checks its nodes'
                        : attempt.state}
                    {attempt.placed ? `, on ${attempt.placed.join(', ')}` : ''}
                  </span>
                </li>
              )
            })}
          </ul>
          <Keys />
        </BarBox>
      )}
    </Card>
  )
})

const Keys = (): ReactNode => (
  <p className="keys">
    {(['waiting', 'exchange', 'work'] as const).map((nature, at) => (
      <span key={nature}>
        <i className={`swatch ${nature}`} /> {['waits', 'starts', 'steps'][at]}
      </span>
    ))}
    <span>
      <b className="tick" /> checkpoint
    </span>
  </p>
)

const HEADS = ['attempt', 'submitted_at', 'started_at', 'first_step_at', 'ended_at', 'outcome', 'nodes']

const attemptRow = ({ number, submitted_at, started_at, first_step_at, ended_at, outcome, placed, state }: AttemptView): CsvRow => [
  number,
  ...[submitted_at, started_at, first_step_at, ended_at].map((at) => (at === undefined ? '' : new Date(1000 * at).toISOString())),
  outcome ? `${outcome.cause}: ${outcome.detail}` : state,
  placed?.join(' ') ?? '',
]

type PhaseProps = { readonly className: string; readonly from: string; readonly to: string; readonly title: string }

const Phase = ({ className, from, to, title }: PhaseProps): ReactNode => (
  <i className={className} title={title} style={{ left: from, right: `calc(100% - ${to})` }} />
)
