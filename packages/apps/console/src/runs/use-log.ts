// The end of a log, updated live.

import { useEffect, useState } from 'react'
import { readText } from './api.ts'

const POLL_MS = 2000
/** Users read the end of a log. */
const KEPT_BYTES = 60_000
/** The last lines arrive after the end is reported: agents send them at low priority. */
const LATE_MS = 60_000

/** `path` includes its query; read repeatedly until the run is over, and a while longer. */
export function useLog(path: string, isOver: boolean): string {
  const [log, setLog] = useState('')
  useEffect(() => {
    let gone = false
    const read = async (): Promise<void> => {
      const answer = await readText(`${path}${path.includes('?') ? '&' : '?'}offset=-${KEPT_BYTES}`)
      if (answer.ok && !gone) setLog(answer.value)
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
  }, [path, isOver])
  return log
}
