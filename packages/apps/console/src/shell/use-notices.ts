// Fetches notifications every few seconds while the page is open and connected.

import type { NodeView, RunView } from '@ironlaw/contracts/api'
import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import type { GatewayView } from '@ironlaw/contracts/gateway-sync'
import { useEffect, useState } from 'react'
import { clockAhead_s, get, readToken } from '../runs/api.ts'
import { type Notice, noticesOf } from './notices.ts'

/** Users react within minutes, and each round makes four small requests. */
const LOOK_MS = 15_000
const SEEN = 'ironlaw-notices-seen'
/** Older ones are no longer shown, so nothing is lost. */
const KEPT_SEEN = 200

type List<T> = { readonly items: readonly T[] }

async function fetchList<T>(path: string): Promise<readonly T[]> {
  const answer = await get<List<T>>(path)
  return answer.ok ? answer.value.items : []
}

async function fetchNotices(): Promise<readonly Notice[]> {
  if (readToken() === '' || document.hidden) return []
  const [ended, live, deployments, nodes, gateways] = await Promise.all([
    fetchList<RunView>('/v1/runs?limit=50&state=failed'),
    fetchList<RunView>('/v1/runs?limit=100&live=true'),
    fetchList<DeploymentView>('/v1/deployments'),
    fetchList<NodeView>('/v1/nodes'),
    fetchList<GatewayView>('/v1/gateways'),
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
