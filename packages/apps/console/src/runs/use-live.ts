// API resources, read again whenever an event reports a change, and every few seconds for changes without an event. One event stream
// per page: a browser allows six connections per host, and each stream keeps one.

import type { EventView, StepView } from '@ironlaw/contracts/api'
import type { AnswerOf, InputOf, OperationName } from '@ironlaw/contracts/api-client'
import { useEffect, useState } from 'react'
import { type ApiResult, call, watch } from './api.ts'
import { followEvents } from './follow-events.ts'
import type { LossSpike } from '@ironlaw/policies/run'
import { StepSeries } from './step-series.ts'

const RENEW_MS = 3000
/** Enough for a page; the command line prints all of them. */
const KEPT = 200

export type LiveEvents = {
  /** Newest first. */
  readonly events: readonly EventView[]
  /** Counts bursts of events. */
  readonly burst: number
}

export function useEvents<Name extends OperationName>(name: Name, input: InputOf<Name>): LiveEvents {
  const [live, setLive] = useState<LiveEvents>({ events: [], burst: 0 })
  useEffect(
    () =>
      followEvents({
        watch: (signal, onEvent) => watch([name, input], signal, onEvent),
        onBegin: () => setLive((before) => ({ ...before, events: [] })),
        onBurst: (events) =>
          setLive((before) => ({ events: [...events.toReversed(), ...before.events].slice(0, KEPT), burst: before.burst + 1 })),
      }),
    [name, JSON.stringify(input)],
  )
  return live
}

/** Undefined until the first answer. */
export function useResource<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  burst: number,
): ApiResult<AnswerOf<Name>> | undefined {
  const [answer, setAnswer] = useState<ApiResult<AnswerOf<Name>>>()
  useRepeated(
    async (isGone) => {
      const next = await call(name, input)
      if (!isGone()) setAnswer(next)
    },
    [name, JSON.stringify(input), burst],
  )
  return answer
}

export type RunSteps = { readonly rows: readonly StepView[]; readonly spikes: readonly LossSpike[] }

/** All steps of a run, thinned to what can be drawn; undefined until the first are read, empty if that was refused. */
export function useSteps(id: string, burst: number): RunSteps | undefined {
  const [steps, setSteps] = useState<RunSteps>()
  const [series, setSeries] = useState(() => ({ id, of: newSeries(id) }))
  if (series.id !== id) setSeries({ id, of: newSeries(id) })
  useRepeated(
    async (isGone) => {
      await series.of.readNewSteps()
      if (!isGone()) setSteps({ rows: [...series.of.rows], spikes: series.of.spikes })
    },
    [series, burst],
  )
  return steps
}

/** Reports a page. */
const PAGE = 1000

const newSeries = (id: string): StepSeries => new StepSeries((after) => call('listSteps', { id, query: { limit: PAGE, after } }))

function useRepeated(read: (isGone: () => boolean) => Promise<void>, dependencies: readonly unknown[]): void {
  useEffect(() => {
    let gone = false
    const isGone = (): boolean => gone
    void read(isGone)
    const timer = setInterval(() => void read(isGone), RENEW_MS)
    return () => {
      gone = true
      clearInterval(timer)
    }
  }, dependencies)
}
