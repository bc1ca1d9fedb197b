// The published campaigns that are simulated: size, length and model, and which of their figures are scored by what.

import { LLAMA3_HARDWARE, LLAMA3_SOFTWARE } from '../reliability/rates.ts'
import type { KnownCampaign, ScoredQuantity } from './published-campaign.ts'

export type Case = {
  readonly name: string
  /** Whose rates must not be used for the prediction. */
  readonly source: string
  /** The cluster in `reliability/rates.ts` that is this campaign itself. */
  readonly own?: string
  readonly known: KnownCampaign
  readonly figures: readonly ScoredFigure[]
}

export type ScoredFigure = {
  /** A row of facts/reliability-runs. */
  readonly id: string
  readonly of: ScoredQuantity
  /** Where the source has the parts of it: computed from them, in this unit. */
  readonly published?: { readonly value: number; readonly unit: string; readonly figure: string; readonly bound?: 'above' | 'below' }
  /** Days that the figure covers, where not the whole window. */
  readonly days?: number
  /** Where the source picked the worst stretch of the run, its length. */
  readonly worst_days?: number
  readonly note?: string
}

const MANUAL = 'people restarted the run by hand in 2021 and waited for hosts of a cloud; the simulation recovers by itself within minutes'

export const CASES: readonly Case[] = [
  {
    name: 'Llama 3.1 405B, 16,384 H100',
    source: 'llama3',
    own: 'llama3-rate',
    known: { accelerators: 16_384, days: 54, parameters: 405e9, store_bytes_per_s: 2e12, planned: 47 },
    figures: [
      { id: 'llama3-unexp', of: 'interruptions' },
      {
        id: 'llama3-cause-01',
        of: 'hardware',
        published: { value: LLAMA3_HARDWARE, unit: 'count', figure: 'interruptions by hardware and hosts' },
      },
      {
        id: 'llama3-cause-03',
        of: 'software',
        published: { value: LLAMA3_SOFTWARE, unit: 'count', figure: 'interruptions by software, watchdog time-outs and dependencies' },
      },
      { id: 'llama3-eff', of: 'effective' },
    ],
  },
  {
    name: 'OPT-175B, 992 A100',
    source: 'opt',
    own: 'opt-attr',
    known: { accelerators: 992, days: 56, parameters: 175e9 },
    figures: [
      { id: 'opt-restarts', of: 'interruptions', note: 'counts restarts of every kind, also after loss divergence' },
      { id: 'opt-manual', of: 'hardware', days: 60 },
      {
        id: 'opt-thx',
        of: 'interruptions',
        worst_days: 16,
        note: 'the worst weeks of the run, so compared with the worst of the simulated',
      },
      { id: 'opt-good', of: 'effective', note: MANUAL },
    ],
  },
  {
    name: 'MegaScale production run, over 10,000 GPUs',
    source: 'megascale',
    known: { accelerators: 10_000, days: 28, parameters: 300e9 },
    figures: [
      { id: 'megascale-restarts', of: 'interruptions', note: '"several weeks" taken as 28 days, "over 10,000" as 10,000' },
      {
        id: 'megascale-catch',
        of: 'lost per stop',
        published: { value: 25, unit: 'min', figure: 'detection, diagnosis and catching up', bound: 'below' },
        note: 'the bounds of both, 10 and 15 min, added',
      },
      { id: 'megascale-eff', of: 'effective', note: 'the time for detection, assumed everywhere, comes from this source' },
    ],
  },
  {
    name: 'Meta RSC, jobs above 1,024 GPUs',
    source: 'rsc',
    own: 'rsc-rf1',
    known: { accelerators: 2048, days: 30, parameters: 70e9 },
    figures: [{ id: 'rsc-ettr', of: 'effective', note: 'taken as 2,048 GPUs for 30 days; the source also counts time in the queue' }],
  },
  {
    name: 'ByteRobust, dense model, 9,600 GPUs',
    source: 'byterobust',
    known: { accelerators: 9600, days: 90, parameters: 200e9 },
    figures: [{ id: 'byterobust-d', of: 'effective' }],
  },
  {
    name: 'IBM 7B, 128 A100',
    source: 'ibm',
    known: { accelerators: 128, days: 52.7, parameters: 7e9 },
    figures: [{ id: 'ibm-7b', of: 'interruptions' }],
  },
]
