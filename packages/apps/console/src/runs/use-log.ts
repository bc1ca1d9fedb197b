// The end of a log as it grows.

import { useEffect, useState } from 'react'
import { readText } from './api.ts'

const POLL_MS = 2000
/** The end is what people read. */
const KEPT_BYTES = 60_000

/** `path` with its query so far; read again until it is over. */
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
    const timer = isOver ? undefined : setInterval(() => void read(), POLL_MS)
    return () => {
      gone = true
      clearInterval(timer)
    }
  }, [path, isOver])
  return log
}
