// A planner in two workers, as a page sees it: the quick one answers while the user drags, the slow one when they pause. Both run the same
// script; two of them, because a search cannot be interrupted by the next question.

import { useEffect, useRef, useState } from 'react'
import { LatestWins, type StartWorker } from './latest-wins.ts'
import type { WorkerRequest, WorkerRefusal, WorkerResponse } from './worker-edge.ts'

/** Long enough for a drag to be over, short enough not to be noticed. */
const PAUSE_MS = 180

export type WorkerAnswers<Choices, Quick, Slow> = {
  readonly choices: Choices | undefined
  readonly quick: Quick | undefined
  readonly refused: WorkerRefusal | undefined
  readonly slow: Slow | undefined
  readonly busy: boolean
  readonly slowBusy: boolean
}

export type WorkerReply<Choices, Quick, Slow> = { readonly id: number; readonly reply: WorkerResponse<Choices, Quick, Slow> }

export type AnswersOptions<Question, Looked, Choices, Quick, Slow> = {
  /** Must not change. */
  readonly start: StartWorker<WorkerReply<Choices, Quick, Slow>>
  readonly question: Question
  readonly looked: (quick: Quick) => Looked | undefined
}

export function useAnswers<Question, Looked, Choices, Quick, Slow>({
  start,
  question,
  looked,
}: AnswersOptions<Question, Looked, Choices, Quick, Slow>): WorkerAnswers<Choices, Quick, Slow> {
  type CurrentAnswers = WorkerAnswers<Choices, Quick, Slow>
  type Line = LatestWins<WorkerRequest<Question, Looked>, WorkerReply<Choices, Quick, Slow>>
  const [known, setKnown] = useState<CurrentAnswers>(NO_ANSWERS)
  const quickLine = useRef<Line>(undefined)
  const slowLine = useRef<Line>(undefined)
  const latest = useRef(question)

  useEffect(() => {
    const applyReply = (part: Partial<CurrentAnswers>): void => setKnown((before) => ({ ...before, ...part }))
    quickLine.current = new LatestWins(start, ({ reply }, asked) => {
      if (asked.kind !== 'quick') return
      const busy = asked.question !== latest.current
      if (reply.kind === 'refused') applyReply({ refused: reply, busy })
      if (reply.kind !== 'quick') return
      applyReply({ quick: reply.answer, refused: undefined, busy })
      measureDrawn(asked.at)
    })
    slowLine.current = new LatestWins(start, ({ reply }) => {
      if (reply.kind === 'choices') applyReply({ choices: reply.answer })
      if (reply.kind === 'slow') applyReply({ slow: reply.answer, slowBusy: false })
    })
    slowLine.current.ask({ kind: 'choices' })
    return () => {
      quickLine.current?.end()
      slowLine.current?.end()
    }
  }, [start])

  const key = JSON.stringify(question)
  useEffect(() => {
    latest.current = question
    setKnown((before) => ({ ...before, busy: true }))
    quickLine.current?.ask({ kind: 'quick', question, at: performance.now() })
    // The text of a question is its identity.
  }, [key])

  const { quick, busy } = known
  useEffect(() => {
    if (!quick || busy) return
    setKnown((before) => ({ ...before, slowBusy: true }))
    const timer = setTimeout(() => slowLine.current?.ask({ kind: 'slow', question: latest.current, looked: looked(quick) }), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [quick, busy, looked])

  return known
}

const NO_ANSWERS = { choices: undefined, quick: undefined, refused: undefined, slow: undefined, busy: true, slowBusy: true }

/** From the change of a control until its result is on screen; browser tools show it, and a test checks it against its budget. */
function measureDrawn(since: number): void {
  requestAnimationFrame(() => setTimeout(() => performance.measure('replan', { start: since, end: performance.now() })))
}
