// What the API says, read again whenever an event says that something changed, and every few seconds for what has no event. One stream of
// events a page: a browser holds six connections to a host, and each stream keeps one.

import type { EventView } from '@ironlaw/contracts/api'
import { useEffect, useState } from 'react'
import { type Answer, get, watch } from './api.ts'

const RENEW_MS = 3000
/** Events come in bursts; one reading serves them all. */
const BURST_MS = 250
/** After a stream has ended. */
const AGAIN_MS = 2000
/** More nobody reads; the command line has them all. */
const KEPT = 200

export type Live = {
  /** Newest first. */
  readonly events: readonly EventView[]
  /** Counts bursts of events. */
  readonly burst: number
}

export function useEvents(path: string): Live {
  const [live, setLive] = useState<Live>({ events: [], burst: 0 })
  useEffect(() => {
    const over = new AbortController()
    let come: EventView[] = []
    let pending: ReturnType<typeof setTimeout> | undefined
    const tell = (event: EventView): void => {
      come.push(event)
      pending ??= setTimeout(() => {
        const burst = come.toReversed()
        come = []
        pending = undefined
        setLive((before) => ({ events: [...burst, ...before.events].slice(0, KEPT), burst: before.burst + 1 }))
      }, BURST_MS)
    }
    const follow = async (): Promise<void> => {
      setLive((before) => ({ ...before, events: [] }))
      await watch(path, over.signal, tell)
      if (!over.signal.aborted) pending = setTimeout(() => void follow(), AGAIN_MS)
    }
    void follow()
    return () => {
      over.abort()
      clearTimeout(pending)
    }
  }, [path])
  return live
}

/** Undefined until the first answer. */
export function useLive<T>(path: string, burst: number): Answer<T> | undefined {
  const [answer, setAnswer] = useState<Answer<T>>()
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
