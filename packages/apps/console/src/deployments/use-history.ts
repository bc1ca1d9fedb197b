// Every event of a stream: page by page from the beginning, then new ones as they arrive.

import type { EventView } from '@ironlaw/contracts/api'
import { useEffect, useState } from 'react'
import { get } from '../runs/api.ts'

const RENEW_MS = 3000
const PAGE = 1000

type Page = { readonly items: readonly EventView[]; readonly next: string | null }

/** Oldest first; undefined until the first answer. */
export function useHistory(path: string): readonly EventView[] | undefined {
  const [events, setEvents] = useState<readonly EventView[]>()
  useEffect(() => {
    let gone = false
    let cursor = ''
    let timer: ReturnType<typeof setTimeout> | undefined
    const read = async (): Promise<void> => {
      const answer = await get<Page>(`${path}?limit=${PAGE}${cursor === '' ? '' : `&cursor=${cursor}`}`)
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
  }, [path])
  return events
}
