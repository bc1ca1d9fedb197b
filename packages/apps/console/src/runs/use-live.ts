// API resources, read again whenever an event reports a change, and every few seconds for changes without an event. One event stream
// per page: a browser allows six connections per host, and each stream keeps one.

import type { EventView, StepView } from '@ironlaw/contracts/api'
import { useEffect, useState } from 'react'
import { type ApiResult, get, watch } from './api.ts'
import { followEvents } from './follow-events.ts'
import { type StepPage, StepSeries } from './step-series.ts'

const RENEW_MS = 3000
/** Enough for a page; the command line prints all of them. */
const KEPT = 200

export type LiveEvents = {
  /** Newest first. */
  readonly events: readonly EventView[]
  /** Counts bursts of events. */
  readonly burst: number
}

export function useEvents(path: string): LiveEvents {
  const [live, setLive] = useState<LiveEvents>({ events: [], burst: 0 })
  useEffect(
    () =>
      followEvents({
        watch: (signal, onEvent) => watch(path, signal, onEvent),
        onBegin: () => setLive((before) => ({ ...before, events: [] })),
        onBurst: (events) =>
          setLive((before) => ({ events: [...events.toReversed(), ...before.events].slice(0, KEPT), burst: before.burst + 1 })),
      }),
    [path],
  )
  return live
}

/** Undefined until the first answer. */
export function useResource<T>(path: string, burst: number): ApiResult<T> | undefined {
  const [answer, setAnswer] = useState<ApiResult<T>>()
  useEffect(() => {
    let gone = false
    const read = async (): Promise<void> => {
      const next = await get<T>(path)
      if (!gone) setAnswer(next)
    }
    void read()
    const timer = setInterval(() => void read(), RENEW_MS)
    return () => {
      gone = true
      clearInterval(timer)
    }
  }, [path, burst])
  return answer
}

/** All steps of a run, thinned to what can be drawn; undefined until the first are read, empty if that was refused. */
export function useSteps(at: string, burst: number): readonly StepView[] | undefined {
  const [rows, setRows] = useState<readonly StepView[]>()
  const [series, setSeries] = useState(() => ({ at, of: new StepSeries(at, get<StepPage>) }))
  if (series.at !== at) setSeries({ at, of: new StepSeries(at, get<StepPage>) })
  useEffect(() => {
    let gone = false
    const read = async (): Promise<void> => {
      await series.of.readNewSteps()
      if (!gone) setRows([...series.of.rows])
    }
    void read()
    const timer = setInterval(() => void read(), RENEW_MS)
    return () => {
      gone = true
      clearInterval(timer)
    }
  }, [series, burst])
  return rows
}
