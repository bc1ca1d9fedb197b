// How fast one thread does each kind of work, in seconds a byte, and how sure that is: learned from finished runs on this kind of machine, else measured by the probe, else
// assumed. What is counted in bytes: "read" stored bytes, steps the text that enters them, "match" keys, "join" edges, "write" and "shuffle" what they write.

import type { DataProbe } from '@ironlaw/contracts/data-probe'

type Rate = {
  readonly s_per_byte: number
  /** One standard deviation, relative. */
  readonly spread: number
  readonly from: 'runs' | 'probe' | 'assumed'
}

/** By kind of work, of one machine. */
export type LearnedRates = Readonly<Record<string, { readonly s_per_byte: number; readonly spread: number; readonly runs: number }>>

export type Rates = (work: string) => Rate

/** Judgement: a full machine is slower than a probe on it, by other cores that share its memory. */
const PROBE_SPREAD = 0.15
/** A probe that timed less than a second has hardly warmed up. */
const SHORT_SPREAD = 0.3
const ASSUMED_SPREAD = 0.5

/** One core of a server: 13 bytes of a key in 60 ns, 10 bytes of an edge in 100 ns, files written at 200 MB/s. */
const ASSUMED: Readonly<Record<string, number>> = { match: 4.6e-9, join: 1e-8, write: 5e-9, shuffle: 1e-8 }

export function ratesOf(probe: DataProbe, learned: LearnedRates = {}): Rates {
  const measured = probedRates(probe)
  return (work) => {
    const known = learned[work]
    if (known) return { s_per_byte: known.s_per_byte, spread: known.spread, from: 'runs' }
    return measured.get(work) ?? { s_per_byte: ASSUMED[work] ?? 0, spread: ASSUMED_SPREAD, from: 'assumed' }
  }
}

function probedRates({ reading, steps, machine }: DataProbe): ReadonlyMap<string, Rate> {
  const rates = new Map<string, Rate>()
  const add = (work: string, time_s: number, bytes: number): void => {
    if (bytes > 0) rates.set(work, { s_per_byte: time_s / bytes, spread: PROBE_SPREAD + SHORT_SPREAD / (1 + time_s), from: 'probe' })
  }
  const addSpeed = (work: string, bytes_per_s: number | undefined): void => {
    if (bytes_per_s !== undefined) rates.set(work, { s_per_byte: 1 / bytes_per_s, spread: PROBE_SPREAD, from: 'probe' })
  }
  add('read', reading.time_s, reading.stored_bytes)
  for (const { name, time_s, bytes } of steps) add(name, time_s, bytes)
  addSpeed('write', machine.write_bytes_per_s)
  addSpeed('match', machine.match_bytes_per_s)
  addSpeed('join', machine.join_bytes_per_s)
  return rates
}
