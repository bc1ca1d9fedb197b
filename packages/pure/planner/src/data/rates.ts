// How fast one thread does each kind of work, in seconds a byte, and how sure that is: learned from finished runs on this kind of machine or measured by the probe, whichever is
// surer, else assumed. What is counted in bytes: "read" stored bytes, steps the text that enters them, "match" keys, "join" edges, the others what they write.

import type { DataPlan } from '@ironlaw/contracts/data-plan'
import type { DataProbe } from '@ironlaw/contracts/data-probe'

export type Rate = {
  readonly s_per_byte: number
  /** One standard deviation, relative. */
  readonly spread: number
  readonly from: DataPlan['rates'][number]['from']
  readonly runs?: number
}

/** By kind of work, of one machine. */
export type LearnedRates = Readonly<Record<string, { readonly s_per_byte: number; readonly spread: number; readonly runs: number }>>

export type Rates = { readonly of: (does: string) => Rate; readonly isLearned: (does: string) => boolean }

/** Judgement: a full machine is slower than a probe on it, by other cores that share its memory. */
const PROBE_SPREAD = 0.15
/** A probe that timed less than a second has hardly warmed up. */
const SHORT_SPREAD = 0.3
const ASSUMED_SPREAD = 0.5

/** One core of a server: 13 bytes of a key in 60 ns, 10 bytes of an edge in 100 ns, files written at 200 MB/s. */
const WRITE = 5e-9
const ASSUMED: Readonly<Record<string, number>> = {
  match: 4.6e-9,
  join: 1e-8,
  keys: WRITE,
  'write tokens': WRITE,
  'write documents': WRITE,
  shuffle: 1e-8,
}

export function ratesOf(probe: DataProbe, learned: LearnedRates = {}): Rates {
  const measured = probedRates(probe)
  const isLearned = (does: string): boolean => {
    const known = learned[does]
    return known !== undefined && known.spread <= (measured.get(does)?.spread ?? Infinity)
  }
  const of = (does: string): Rate => {
    const known = learned[does]
    if (known && isLearned(does)) return { ...known, from: 'calibration' }
    return measured.get(does) ?? { s_per_byte: ASSUMED[does] ?? 0, spread: ASSUMED_SPREAD, from: 'assumed' }
  }
  return { of, isLearned }
}

function probedRates({ reading, steps, machine }: DataProbe): ReadonlyMap<string, Rate> {
  const rates = new Map<string, Rate>()
  const add = (does: string, time_s: number, bytes: number): void => {
    if (bytes > 0) rates.set(does, { s_per_byte: time_s / bytes, spread: PROBE_SPREAD + SHORT_SPREAD / (1 + time_s), from: 'probe' })
  }
  const addSpeed = (does: string, bytes_per_s: number | undefined, spread = PROBE_SPREAD): void => {
    if (bytes_per_s !== undefined) rates.set(does, { s_per_byte: 1 / bytes_per_s, spread, from: 'probe' })
  }
  add(reading.does, reading.time_s, reading.stored_bytes)
  for (const { does, time_s, bytes } of steps) add(does, time_s, bytes)
  // Keys are sorted and tokens are laid out besides, which the probe does not time.
  for (const write of ['keys', 'write tokens', 'write documents']) addSpeed(write, machine.write_bytes_per_s, ASSUMED_SPREAD)
  addSpeed('match', machine.match_bytes_per_s)
  addSpeed('join', machine.join_bytes_per_s)
  return rates
}
