// The end of a log as it grows.

import { useEffect, useState } from 'react'
import { readText } from './api.ts'

const POLL_MS = 2000
/** The end is what people read. */
const KEPT_BYTES = 60_000
/** The last lines come after the word that it is over: agents send them when they have nothing else to do. */
const LATE_MS = 60_000

/** `path` with its query so far; read again until it is over, and a while longer. */
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
