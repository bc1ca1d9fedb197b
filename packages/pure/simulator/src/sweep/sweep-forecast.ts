// What a sweep will take, by the policy that decides the real one: trials of which one is truly better than another at every rung, in a drawn
// order.

import { decideSweep, rungsOf, type Stopping, type Trial } from '@ironlaw/policies/sweep'
import { RandomStream } from '../kernel/random-stream.ts'

export type SweepShape = {
  readonly trials: number
  readonly atOnce: number
  /** Steps of a whole run. */
  readonly total: number
  readonly stopping?: Stopping | undefined
}

type Interval = { readonly mean: number; readonly low: number; readonly high: number }

export type SweepForecast = {
  /** Steps of all trials, of those that all would take if none were stopped; low and high hold 90 % of the orders. */
  readonly steps_share: Interval
  /** From the first start to the last end, in whole runs. */
  readonly runs_long: Interval
}

/** Enough for the ends of an interval; a thousand trials differ less from draw to draw. */
const draws = (trials: number): number => Math.max(20, Math.min(100, Math.ceil(3000 / trials)))
const SEED = 1

export function sweepForecast(shape: SweepShape): SweepForecast {
  const drawn = Array.from({ length: draws(shape.trials) }, (_, draw) => drawnSweep(shape, new RandomStream([SEED, draw])))
  return {
    steps_share: intervalOf(drawn.map(({ steps }) => steps / (shape.trials * shape.total))),
    runs_long: intervalOf(drawn.map(({ until }) => until / shape.total)),
  }
}

type Drawn = { trial: number; steps: number; readonly quality: number; losses: readonly number[]; isLive: boolean }

function drawnSweep(
  { trials: count, atOnce, total, stopping }: SweepShape,
  stream: RandomStream,
): { readonly steps: number; readonly until: number } {
  const rungs = stopping ? rungsOf(stopping, total) : []
  const started: Drawn[] = []
  for (let until = 0; ;) {
    const view: readonly Trial[] = started
    const { stop, start } = decideSweep({ trials: view, count, atOnce, stopping })
    for (const { trial } of stop) (started[trial] as Drawn).isLive = false
    if (stop.length > 0) continue
    for (const trial of start) started[trial] = { trial, steps: 0, quality: stream.uniform(), losses: [], isLive: true }
    const live = started.filter(({ isLive }) => isLive)
    if (live.length === 0) return { steps: started.reduce((sum, { steps }) => sum + steps, 0), until }
    const ahead = Math.min(...live.map((each) => (rungs[each.losses.length] ?? total) - each.steps))
    until += ahead
    for (const each of live) advance(each, ahead, { rungs, total })
  }
}

function advance(each: Drawn, ahead: number, { rungs, total }: { readonly rungs: readonly number[]; readonly total: number }): void {
  each.steps += ahead
  if (each.steps === rungs[each.losses.length]) each.losses = [...each.losses, each.quality]
  if (each.steps === total) each.isLive = false
}

function intervalOf(values: readonly number[]): Interval {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] as number
  return { mean: values.reduce((sum, value) => sum + value, 0) / values.length, low: at(0.05), high: at(0.95) }
}
