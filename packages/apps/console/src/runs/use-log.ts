// The end of a log, updated live.

import { useEffect, useState } from 'react'
import type { ApiResult } from './api.ts'

const POLL_MS = 2000
/** Users read the end of a log. */
const KEPT_BYTES = 60_000
/** The last lines arrive after the end is reported: agents send them at low priority. */
const LATE_MS = 60_000

export type LogOptions = {
  /** Which log: another one begins empty. */
  readonly of: string
  readonly isOver: boolean
}

/** Read repeatedly until the run or replica is over, and a while longer. */
export function useLog(readFrom: (offset: number) => Promise<ApiResult<{ readonly value: string }>>, { of, isOver }: LogOptions): string {
  const [log, setLog] = useState('')
  useEffect(() => {
    let gone = false
    const read = async (): Promise<void> => {
      const answer = await readFrom(-KEPT_BYTES)
      if (answer.ok && !gone) setLog(answer.value.value)
    }
    setLog('')
    void read()
    const timer = setInterval(() => void read(), POLL_MS)
    const end = isOver ? setTimeout(() => clearInterval(timer), LATE_MS) : undefined
    return () => {
      gone = true
      clearInterval(timer)
      clearTimeout(end)
    }
  }, [of, isOver])
  return log
}
