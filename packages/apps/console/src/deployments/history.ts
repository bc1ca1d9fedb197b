// Which revision was live when, and which was a canary, from the deployment's events.

import type { EventView } from '@ironlaw/contracts/api'

export type Span = {
  readonly revision: number
  readonly as: 'live' | 'tried'
  readonly from: number
  /** Undefined while it continues. */
  readonly to?: number
  readonly end?: 'promoted' | 'rolled-back'
}

type Decision = {
  readonly at: number
  readonly revision: number
  readonly what: string
  readonly why: string
  readonly actor: string
}

export type History = { readonly spans: readonly Span[]; readonly decisions: readonly Decision[] }

const DECISIONS: Readonly<Record<string, string>> = {
  'deployment-created': 'deployed',
  'revision-created': 'canary started',
  'rollout-advanced': 'gets a larger share',
  'rollout-paused': 'waits for a decision',
  'rollout-promoted': 'serves everybody',
  'rollout-rolled-back': 'rolled back',
  'rollout-returned': 'serves all traffic again',
  'rollout-pause-wanted': 'pause requested',
  'rollout-resume-wanted': 'resumed',
  'rollout-promote-wanted': 'promotion requested',
  'rollout-rollback-wanted': 'rollback requested',
}

/** `events` oldest first. */
export function historyOf(events: readonly EventView[]): History {
  const spans: Span[] = []
  const decisions: Decision[] = []
  const close = (as: Span['as'], to: number, end?: Span['end']): void => {
    const at = spans.findLastIndex((span) => span.as === as && span.to === undefined)
    const open = spans[at]
    if (open) spans[at] = { ...open, to, ...(end && { end }) }
  }
  for (const { kind, at, actor, body } of events) {
    const revision = Number(body['revision'] ?? 0)
    switch (kind) {
      case 'deployment-created':
        spans.push({ revision, as: 'live', from: at })
        break
      case 'revision-created':
        spans.push({ revision, as: 'tried', from: at })
        break
      case 'rollout-promoted':
        close('tried', at, 'promoted')
        close('live', at)
        spans.push({ revision, as: 'live', from: at })
        break
      case 'rollout-returned':
        close('live', at)
        spans.push({ revision, as: 'live', from: at })
        break
      case 'rollout-rolled-back':
        close('tried', at, 'rolled-back')
        break
      case 'deployment-removed':
        close('tried', at)
        close('live', at)
    }
    const what = DECISIONS[kind]
    if (what !== undefined) decisions.push({ at, revision, what, why: typeof body['why'] === 'string' ? body['why'] : '', actor })
  }
  return { spans, decisions: decisions.toReversed() }
}
