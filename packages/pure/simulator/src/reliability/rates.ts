// How often a node of eight accelerators stops a job, as published clusters had it: by its hardware, and by software for each time that
// hardware does. A campaign is predicted from the others' figures only: the spread among clusters is then part of the prediction.

import { studentQuantile } from '@ironlaw/laws/student'
import { PUBLISHED } from '../validation/published.ts'

type Cluster = { readonly id: string; readonly source: string; readonly perNodeDay: number; readonly how: string }

const figure = (id: string): number => PUBLISHED.get(id)?.value ?? Number.NaN

/** Nodes of the runs whose source counts hosts or accelerators. */
const NODES = { opt: 124, bloom: 48 }
const WEEK_DAYS = 7

/** Software bugs, time-outs of collectives that nobody explained, and dependencies, of Llama 3's Table 5. */
export const LLAMA3_SOFTWARE = figure('llama3-cause-03') + figure('llama3-cause-09') + figure('llama3-cause-16')
export const LLAMA3_HARDWARE = figure('llama3-unexp') - LLAMA3_SOFTWARE

const llama3Hardware = (figure('llama3-rate') * LLAMA3_HARDWARE) / figure('llama3-unexp') / 1000

export const CLUSTERS: readonly Cluster[] = [
  { id: 'rsc-rf1', source: 'rsc', perNodeDay: figure('rsc-rf1') / 1000, how: 'Meta RSC-1, node failures' },
  { id: 'rsc-rf2', source: 'rsc', perNodeDay: figure('rsc-rf2') / 1000, how: 'Meta RSC-2, node failures' },
  { id: 'llama3-rate', source: 'llama3', perNodeDay: llama3Hardware, how: 'Llama 3, unexpected interruptions but for software' },
  { id: 'opt-attr', source: 'opt', perNodeDay: figure('opt-attr') / NODES.opt, how: 'OPT-175B, hosts lost of 124' },
  { id: 'bloom-gpu', source: 'bloom', perNodeDay: figure('bloom-gpu') / WEEK_DAYS / NODES.bloom, how: 'BLOOM, GPU failures only' },
  { id: 'fthsdp-rate', source: 'fthsdp', perNodeDay: figure('fthsdp-rate') / 1000, how: 'FT-HSDP, interruptions, second-hand' },
]

type SoftwareFailures = { readonly source: string; readonly perHardwareFailure: number; readonly how: string }

/** Where a source counts both. Jobs of one node on RSC-1 fail of anything, also of user code, every 47.7 days. */
const SOFTWARE: readonly SoftwareFailures[] = [
  { source: 'llama3', perHardwareFailure: LLAMA3_SOFTWARE / LLAMA3_HARDWARE, how: 'Llama 3' },
  { source: 'rsc', perHardwareFailure: 1000 / figure('rsc-m8') / figure('rsc-rf1') - 1, how: 'Meta RSC-1, all failed jobs' },
]

/** What is believed of a cluster that is not known yet. */
export type RateBelief = {
  /** Hardware failures; log-normal over clusters. */
  readonly perNodeDay: number
  readonly spread: number
  /** Clusters less one: with few of them the next may lie far off, by Student's t. Infinite when the rate is the cluster's own. */
  readonly freedom: number
  /** Software failures for each of hardware: none, or as one of the published clusters has them, all as likely. */
  readonly software: readonly number[]
  readonly from: string
}

/** From all clusters but those of one source; the spread also covers that the mean of a few is itself uncertain. */
export function beliefWithout(source: string): RateBelief {
  const others = CLUSTERS.filter((cluster) => cluster.source !== source)
  const logs = others.map(({ perNodeDay }) => Math.log(perNodeDay))
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1)
  const software = SOFTWARE.filter((each) => each.source !== source)
  return {
    perNodeDay: Math.exp(mean),
    spread: Math.sqrt(variance * (1 + 1 / logs.length)),
    freedom: logs.length - 1,
    software: [0, ...software.map(({ perHardwareFailure }) => perHardwareFailure)],
    from: `log-normal over ${others.map(({ how }) => how).join('; ')}; software: none, or as ${software.map(({ how }) => how).join(' or ')}`,
  }
}

/** The campaign's own rates: what comes of them is a check of the arithmetic, not a prediction. */
export function ownBelief(id: string): RateBelief {
  const cluster = CLUSTERS.find((each) => each.id === id)
  const own = SOFTWARE.find(({ source }) => source === cluster?.source)
  return {
    perNodeDay: cluster?.perNodeDay ?? Number.NaN,
    spread: 0,
    freedom: Infinity,
    software: [own?.perHardwareFailure ?? 0],
    from: `its own: ${cluster?.how ?? id}`,
  }
}

/** Hardware failures of the cluster at a share of the belief, as a multiple of the expected. */
export const rateFactor = ({ spread, freedom }: RateBelief, share: number): number =>
  spread === 0 ? 1 : Math.exp(spread * studentQuantile(share, freedom))

export const softwareAt = ({ software }: RateBelief, share: number): number =>
  software[Math.min(software.length - 1, Math.floor(share * software.length))] ?? 0
