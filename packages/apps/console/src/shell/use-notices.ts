// Fetches notifications every few seconds while the page is open and connected.

import { useEffect, useState } from 'react'
import { call, clockAhead_s, itemsOf, readToken } from '../runs/api.ts'
import { type Notice, noticesOf } from './notices.ts'
import { canCall } from './use-grants.ts'

/** Users react within minutes, and each round makes four small requests. */
const LOOK_MS = 15_000
const SEEN = 'ironlaw-notices-seen'
/** Older ones are no longer shown, so nothing is lost. */
const KEPT_SEEN = 200

async function fetchNotices(): Promise<readonly Notice[]> {
  if (readToken() === '' || document.hidden) return []
  const [ended = [], live = [], deployments = [], nodes = [], gateways = []] = await Promise.all([
    call('listRuns', { query: { limit: 50, state: 'failed' } }).then(itemsOf),
    call('listRuns', { query: { limit: 100, live: 'true' } }).then(itemsOf),
    call('listDeployments', {}).then(itemsOf),
    call('listNodes', {}).then(itemsOf),
    canCall('listGateways').then((isAllowed) => (isAllowed ? call('listGateways', {}).then(itemsOf) : [])),
  ])
  return noticesOf({ runs: [...ended, ...live], deployments, nodes, gateways, clockAhead_s: clockAhead_s() }, Date.now() / 1000)
}

export type Notices = { readonly notices: readonly Notice[]; readonly unseen: number; readonly markSeen: () => void }

export function useNotices(): Notices {
  const [notices, setNotices] = useState<readonly Notice[]>([])
  const [seen, setSeen] = useState(seenIds)
  useEffect(() => {
    let isGone = false
    const read = async (): Promise<void> => {
      const found = await fetchNotices()
      if (!isGone && !document.hidden) setNotices(found)
    }
    void read()
    const timer = setInterval(() => void read(), LOOK_MS)
    const handleHashChange = (): void => void read()
    addEventListener('hashchange', handleHashChange)
    return () => {
      isGone = true
      clearInterval(timer)
      removeEventListener('hashchange', handleHashChange)
    }
  }, [])
  const markSeen = (): void => {
    const ids = [...new Set([...notices.map(({ id }) => id), ...seen])].slice(0, KEPT_SEEN)
    localStorage.setItem(SEEN, JSON.stringify(ids))
    setSeen(new Set(ids))
  }
  return { notices, unseen: notices.filter(({ id }) => !seen.has(id)).length, markSeen }
}

function seenIds(): ReadonlySet<string> {
  const kept: unknown = JSON.parse(localStorage.getItem(SEEN) ?? '[]')
  return new Set(Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : [])
}
