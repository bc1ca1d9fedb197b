import { alarmLimit, designShift, detect, fitStream, newDetector, type StreamHour } from '@ironlaw/policies/watch'
import { describe, expect, test } from 'vitest'
import { RandomStream } from '../kernel/random-stream.ts'
import { OWN_RULE, simulateAlarms } from './simulate-alarms.ts'
import { SimulatedStream, type StreamTruth } from './simulated-stream.ts'

const SEED = Number(process.env['WATCH_SEED'] ?? 1)
const REFERENCE = 28 * 24
const YEAR = 8760

test('twenty features with seasons, wandering and bursts stay within one false alarm a month, and shifts are found in the time foretold', () => {
  const { rules, delays, watched, streams } = simulateAlarms({ years: 12, seed: SEED })
  const aMonth = Object.fromEntries(rules.map((each) => [each.rule, each.aMonth]))
  expect(watched).toBe(streams)
  expect(aMonth[OWN_RULE]).toBeLessThanOrEqual(1)
  expect(aMonth['an hour beyond 3 deviations of the reference']).toBeGreaterThan(10)
  expect(delays.shifts).toBe(12)
  expect(delays.within).toBeGreaterThan(0.6)
})

const SEASONAL: StreamTruth = {
  hours: Array.from({ length: 24 }, (_, hour) => 0.2 * Math.sin((2 * Math.PI * hour) / 24)),
  days: [0, 0, 0, 0, 0, 0.1, 0.1],
  wander: 0.05 ** 2,
  kept: 0.8,
  variance: 1,
  rows: Array.from({ length: 24 }, (_, hour) => 300 * (1 + 0.7 * Math.sin((2 * Math.PI * (hour - 8)) / 24))),
  uneven: 0.2,
}

function drawReference(truth: StreamTruth, seed: number, hours = REFERENCE) {
  const stream = new SimulatedStream(truth, new RandomStream([SEED, seed]))
  return { stream, reference: Array.from({ length: hours }, (_, hour) => stream.at(hour, 3)) }
}

describe('the model of a stream', () => {
  test('finds the level, the seasons and how it wanders', () => {
    const { reference } = drawReference(SEASONAL, 1, 20 * 168)
    const model = fitStream(reference, 1)
    expect(model.level).toBeCloseTo(3 + 0.2 / 7, 1)
    expect(Math.sqrt(model.wander)).toBeCloseTo(0.05, 1)
    expect(model.kept).toBeGreaterThan(0.6)
    for (const [hour, effect] of model.hours.entries()) expect(Math.abs(effect - (SEASONAL.hours[hour] ?? 0))).toBeLessThan(0.05)
  })

  test('believes in no season where there is none', () => {
    const flat = { ...SEASONAL, hours: SEASONAL.hours.map(() => 0), days: SEASONAL.days.map(() => 0), wander: 0 }
    const { hours, days, wander } = fitStream(drawReference(flat, 2).reference, 1)
    for (const effect of [...hours, ...days]) expect(Math.abs(effect)).toBeLessThan(0.03)
    expect(wander).toBeLessThan(0.02 ** 2)
  })

  test('leaves hours out in which nothing came', () => {
    const { reference } = drawReference(SEASONAL, 3)
    const byDay = reference.filter(({ hour }) => hour % 24 >= 8)
    const model = fitStream(byDay, 1)
    expect(model.level).toBeGreaterThan(2.8)
    expect(model.hours.slice(0, 8)).toEqual([0, 0, 0, 0, 0, 0, 0, 0])
  })
})

const LIMIT = alarmLimit({ alarms: 1, hours: 720 }, 20)

function alarms(seen: readonly StreamHour[], model = fitStream(drawReference(SEASONAL, 4).reference, 1)) {
  const design = designShift(model, { matters: 0.2, lasting: 8, limit: LIMIT })
  if (design.kind !== 'watched') throw new Error('the reference is too short')
  let state = newDetector(model)
  return seen.flatMap((each) => {
    const detection = detect(model, design.shift, { state, seen: each })
    state = detection.state
    return detection.alarm ? [{ hour: each.hour, alarm: detection.alarm }] : []
  })
}

describe('a detector', () => {
  const { reference } = drawReference(SEASONAL, 4)
  const model = fitStream(reference, 1)

  test('alarms falsely all the time when it does not know the season', () => {
    const deep = drawReference({ ...SEASONAL, hours: SEASONAL.hours.map((effect) => 3 * effect) }, 6)
    const known = fitStream(deep.reference, 1)
    const quarter = Array.from({ length: YEAR / 4 }, (_, hour) => deep.stream.at(REFERENCE + hour, 3))
    expect(alarms(quarter, known).length).toBeLessThanOrEqual(2)
    const flat = { ...known, hours: known.hours.map(() => 0), days: known.days.map(() => 0) }
    expect(alarms(quarter, flat).length).toBeGreaterThan(10)
  })

  test('says in which direction, and lets a few hours pass that are far off', () => {
    const quiet = (hour: number) => ({ hour, rows: 300, mean: 3 })
    const steady = { ...model, level: 3, hours: model.hours.map(() => 0), days: model.days.map(() => 0) }
    const burst = Array.from({ length: 200 }, (_, hour) => (hour >= 50 && hour < 55 ? { ...quiet(hour), mean: 13 } : quiet(hour)))
    expect(alarms(burst, steady)).toEqual([])
    const shifted = (by: number) => Array.from({ length: 400 }, (_, hour) => ({ ...quiet(hour), mean: 3 + (hour < 50 ? 0 : by) }))
    expect(alarms(shifted(0.3), steady)[0]?.alarm).toBe('up')
    expect(alarms(shifted(-0.3), steady)[0]?.alarm).toBe('down')
    expect(alarms(shifted(0.05), steady)).toEqual([])
  })

  test('is refused by a reference that is too short to know its level, which says how much longer it has to be', () => {
    const short = fitStream(drawReference({ ...SEASONAL, wander: 0.5 ** 2, kept: 0.9 }, 5, 7 * 24).reference, 1)
    const design = designShift(short, { matters: 0.1, lasting: 8, limit: LIMIT })
    expect(design.kind).toBe('reference-too-short')
    if (design.kind === 'reference-too-short') expect(design.needed).toBeGreaterThan(1)
  })
})
