// Hours of traffic, twenty times as fast: drawn ones, and recorded ones where a trace is given.

import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { parseTrace, RandomStream } from '@ironlaw/simulator/serving'

export const SPEED = 20
const HOUR_S = 3600 / SPEED
const DAY_S = 24 * HOUR_S

export type Hour = { readonly name: string; readonly arrivals_s: readonly number[] }

type Rate = (second: number) => number

const QUIET = { requests_per_s: 12, lasts_s: HOUR_S / 10 }
const BURST = { requests_per_s: 45, lasts_s: HOUR_S / 30 }

/** Six quiet minutes and two of burst on average, each of a length of its own. */
export function burstyHour(seed: number): Hour {
  const random = new RandomStream([seed, 1])
  const ends: number[] = []
  for (let at = 0; at < HOUR_S; ends.push(at)) at += random.exponential() * (ends.length % 2 === 0 ? QUIET : BURST).lasts_s
  const rate = (second: number): number => (ends.findIndex((end) => second < end) % 2 === 0 ? QUIET : BURST).requests_per_s
  return { name: 'bursts', arrivals_s: drawnArrivals(HOUR_S, rate, seed) }
}

export const drawnHours = (seed: number): readonly Hour[] => [
  burstyHour(seed),
  { name: 'steady', arrivals_s: drawnArrivals(HOUR_S, () => 25, seed) },
  {
    name: 'rise and fall',
    arrivals_s: drawnArrivals(HOUR_S, (second) => 8 + 37 * Math.max(0, Math.min(1, (second - 20) / 40, (160 - second) / 40)), seed),
  },
  { name: 'a day', arrivals_s: drawnArrivals(DAY_S, (second) => 28 - 24 * Math.cos((2 * Math.PI * second) / DAY_S), seed) },
]

/** Each request at a time of its own, at this rate at that time. */
function drawnArrivals(lasts_s: number, rate: Rate, seed: number): number[] {
  const random = new RandomStream([seed, 2])
  const arrivals: number[] = []
  for (let at = 0; at < lasts_s; at += random.exponential() / rate(at)) arrivals.push(at)
  return arrivals
}

/** A share of a recorded trace's requests, at their times. */
export function recordedHour(path: string, requests_per_s: number): Hour {
  const content = readFileSync(path)
  const parsed = parseTrace((path.endsWith('.gz') ? gunzipSync(content) : content).toString())
  if (!parsed.ok) throw new Error(`${path}: ${parsed.problem}`)
  const { trace } = parsed
  const lasts_s = (trace.at_s.at(-1) ?? 0) / SPEED
  const random = new RandomStream([1, 3])
  const kept = [...trace.at_s].filter(() => random.uniform() * trace.count < requests_per_s * lasts_s)
  return { name: basename(path).split('.')[0] ?? path, arrivals_s: kept.map((at) => at / SPEED) }
}

/** Requests a second in the busiest minute. */
export function busiestMinute({ arrivals_s }: Hour): number {
  const minute_s = 60 / SPEED
  const counts = new Map<number, number>()
  for (const at of arrivals_s) counts.set(Math.floor(at / minute_s), (counts.get(Math.floor(at / minute_s)) ?? 0) + 1)
  return Math.max(...counts.values()) / minute_s
}

export const meanRate = ({ arrivals_s }: Hour): number => arrivals_s.length / (arrivals_s.at(-1) ?? 1)
