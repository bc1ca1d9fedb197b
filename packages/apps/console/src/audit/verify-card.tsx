// Has every chain of events verified when asked: that reads all of them.

import type { AuditVerdict } from '@ironlaw/contracts/api'
import type { AnswerOf } from '@ironlaw/contracts/api-client'
import { type ReactNode, useState } from 'react'
import { type ApiResult, call, type Problem } from '../runs/api.ts'
import { Card } from '../ui/card.tsx'
import { Refusal } from '../ui/refusal.tsx'

type Progress = {
  readonly streams: number
  readonly events: number
  readonly altered: readonly AuditVerdict[]
  readonly isOver: boolean
}

const NOTHING: Progress = { streams: 0, events: 0, altered: [], isOver: false }

export function VerifyCard(): ReactNode {
  const [progress, setProgress] = useState<Progress>()
  const [problem, setProblem] = useState<Problem>()
  const isBusy = progress !== undefined && !progress.isOver && problem === undefined
  const verify = async (): Promise<void> => {
    setProblem(undefined)
    let reached = NOTHING
    setProgress(reached)
    for (let cursor: string | null = ''; cursor !== null;) {
      const answer: ApiResult<AnswerOf<'audit'>> = await call('audit', { query: { cursor } })
      if (!answer.ok) return setProblem(answer)
      cursor = answer.value.next
      reached = withVerdicts(reached, answer.value.items, cursor === null)
      setProgress(reached)
    }
  }
  return (
    <Card
      title="Proof"
      about={
        <>
          Each event carries the hash of the one before, so a changed or removed event shows. A database that was rewritten as a whole shows
          against heads of the chains that were kept elsewhere: <code>ironlaw audit verify --heads</code>.
        </>
      }
      busy={isBusy}
      aside={
        <button type="button" className="button" disabled={isBusy} onClick={() => void verify()}>
          Verify
        </button>
      }
      wide
    >
      {problem && <Refusal problem={problem} />}
      {progress && (
        <p role="status">
          {progress.events} events in {progress.streams} streams
          {progress.altered.length > 0 ? '' : progress.isOver ? ': nothing was altered or removed' : ' verified so far'}
        </p>
      )}
      {progress?.altered.map(({ stream, sequence, problem: found }) => (
        <p key={stream} className="warning" role="alert">
          {stream}: event {sequence} {found === 'missing' ? 'is missing' : 'was altered'}
        </p>
      ))}
    </Card>
  )
}

const withVerdicts = (before: Progress, verdicts: readonly AuditVerdict[], isOver: boolean): Progress => ({
  streams: before.streams + verdicts.length,
  events: before.events + verdicts.reduce((sum, { events = 0 }) => sum + events, 0),
  altered: [...before.altered, ...verdicts.filter(({ intact }) => !intact)],
  isOver,
})
