// Deployments in words.

import type { Guardrail } from '@ironlaw/contracts/deployment-figures'
import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import { DAY } from '@ironlaw/units'
import type { ReactNode } from 'react'
import { showClock } from '../runs/run-words.tsx'

const KIND: Readonly<Record<DeploymentView['state'], string>> = {
  starting: 'plain',
  serving: 'good',
  degraded: 'bad',
  removing: 'plain',
  removed: 'plain',
}

export const DeploymentChip = ({ state }: { readonly state: DeploymentView['state'] }): ReactNode => (
  <span className={`chip ${KIND[state]}`}>
    {state !== 'removed' && <i className="live" aria-hidden="true" />}
    {state}
  </span>
)

/** Replicas of the stable revision; those of a rollout are additional. */
export const servingReplicas = ({ replicas, stable }: Pick<DeploymentView, 'replicas' | 'stable'>): number =>
  replicas.filter(({ state, revision }) => state === 'serving' && revision === stable).length

export const GUARDRAILS: Readonly<Record<Guardrail, string>> = {
  ttft: 'time to first token',
  tpot: 'time per token',
  errors: 'errors',
  quality: 'known prompts',
  outputs: 'answers that differ',
}

/** Includes the date unless it is today. */
export function showMoment(at: number): string {
  const day = new Date(1000 * at).toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
  return Date.now() / 1000 - at < DAY ? showClock(at) : `${day} ${showClock(at)}`
}
