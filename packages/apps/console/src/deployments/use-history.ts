// Every event of a stream: page by page from the beginning, then new ones as they arrive.

import type { EventView } from '@ironlaw/contracts/api'
import { useEffect, useState } from 'react'
import { call } from '../runs/api.ts'

const RENEW_MS = 3000
const PAGE = 1000

/** Of a deployment, oldest first; undefined until the first answer. */
export function useHistory(name: string): readonly EventView[] | undefined {
  const [events, setEvents] = useState<readonly EventView[]>()
  useEffect(() => {
    let gone = false
    let cursor = ''
    let timer: ReturnType<typeof setTimeout> | undefined
    const read = async (): Promise<void> => {
      const answer = await call('listDeploymentEvents', { name, query: { limit: PAGE, cursor } })
      if (gone) return
      const come = answer.ok ? answer.value.items : []
      cursor = come.at(-1)?.cursor ?? cursor
      setEvents((before = []) => (come.length === 0 ? before : [...before, ...come]))
      timer = setTimeout(() => void read(), come.length === PAGE ? 0 : RENEW_MS)
    }
    setEvents(undefined)
    void read()
    return () => {
      gone = true
      clearTimeout(timer)
    }
  }, [name])
  return events
}
