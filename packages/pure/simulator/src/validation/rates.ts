// How often a node of eight accelerators stops a job, as published clusters had it. A campaign is predicted from the others' rates only:
// the spread among clusters is then part of the prediction.

import { normalQuantile } from '@ironlaw/laws/normal'
import { DAY } from '@ironlaw/units'
import { PUBLISHED } from './published.ts'

type Cluster = { readonly id: string; readonly source: string; readonly perNodeDay: number; readonly how: string }

const figure = (id: string): number => PUBLISHED.get(id)?.value ?? Number.NaN

/** Nodes of the runs whose source counts hosts or accelerators. */
const NODES = { opt: 124, bloom: 48 }
const WEEK_DAYS = 7

export const CLUSTERS: readonly Cluster[] = [
  { id: 'rsc-rf1', source: 'rsc', perNodeDay: figure('rsc-rf1') / 1000, how: 'Meta RSC-1, node failures' },
  { id: 'rsc-rf2', source: 'rsc', perNodeDay: figure('rsc-rf2') / 1000, how: 'Meta RSC-2, node failures' },
  { id: 'llama3-rate', source: 'llama3', perNodeDay: figure('llama3-rate') / 1000, how: 'Llama 3, unexpected interruptions' },
  { id: 'opt-attr', source: 'opt', perNodeDay: figure('opt-attr') / NODES.opt, how: 'OPT-175B, hosts lost of 124' },
  { id: 'bloom-gpu', source: 'bloom', perNodeDay: figure('bloom-gpu') / WEEK_DAYS / NODES.bloom, how: 'BLOOM, GPU failures only' },
  { id: 'fthsdp-rate', source: 'fthsdp', perNodeDay: figure('fthsdp-rate') / 1000, how: 'FT-HSDP, interruptions, second-hand' },
]

/** Log-normal over clusters. */
export type RateBelief = { readonly perNodeDay: number; readonly spread: number; readonly from: string }

/** From all clusters but those of one source; the spread also covers that the mean of a few is itself uncertain. */
export function beliefWithout(source: string): RateBelief {
  const others = CLUSTERS.filter((cluster) => cluster.source !== source)
  const logs = others.map(({ perNodeDay }) => Math.log(perNodeDay))
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1)
  return {
    perNodeDay: Math.exp(mean),
    spread: Math.sqrt(variance * (1 + 1 / logs.length)),
    from: `log-normal over ${others.map(({ how }) => how).join('; ')}`,
  }
}

/** The campaign's own rate: what comes of it is a check of the arithmetic, not a prediction. */
export function ownBelief(id: string): RateBelief {
  const cluster = CLUSTERS.find((each) => each.id === id)
  return { perNodeDay: cluster?.perNodeDay ?? Number.NaN, spread: 0, from: `its own: ${cluster?.how ?? id}` }
}

/** Mean time between failures of one node at a share of the belief: replicas take shares evenly, so that few are enough. */
export const believedMtbf = ({ perNodeDay, spread }: RateBelief, share: number): number =>
  DAY / (perNodeDay * Math.exp(spread * normalQuantile(share)))
