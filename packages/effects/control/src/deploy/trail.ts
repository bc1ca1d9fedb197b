// How the evidence of a rollout's guardrails moved, for people to look at; nothing is decided by it. Kept after the end, until the next one.

import type { Judgement } from '@ironlaw/policies/rollout'

type Guardrail = Judgement['findings'][number]['of']

type TrailPoint = {
  readonly at: number
  readonly stage: number
  readonly evidence: Readonly<Partial<Record<Guardrail, number>>>
}

/** `every_s` doubles when there are too many points, so that a day takes no more room than a minute. */
export type Trail = { readonly revision: number; readonly every_s: number; readonly points: readonly TrailPoint[] }

const MOST = 128
const FIRST_S = 1

export type Moment = {
  readonly now: number
  readonly revision: number
  readonly stage: number
  readonly findings: Judgement['findings']
  /** Of its stage: kept however close it is to the one before. */
  readonly last: boolean
}

export function trailAfter(before: Trail | undefined, { now, revision, stage, findings, last }: Moment): Trail {
  const trail = before?.revision === revision ? before : { revision, every_s: FIRST_S, points: [] }
  const newest = trail.points.at(-1)
  if (!last && newest?.stage === stage && now - newest.at < trail.every_s) return trail
  // A margin that leaves nothing to find has no evidence, and JSON no way to say so.
  const shown = findings.filter((finding) => Number.isFinite(finding.evidence))
  const evidence = Object.fromEntries(shown.map((finding) => [finding.of, Number(finding.evidence.toFixed(3))]))
  const points = [...trail.points, { at: now, stage, evidence }]
  if (points.length <= MOST) return { ...trail, points }
  return { revision, every_s: 2 * trail.every_s, points: points.filter((_, index) => index % 2 === 0 || index === points.length - 1) }
}
