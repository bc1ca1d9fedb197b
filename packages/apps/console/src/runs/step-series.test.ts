import type { StepView } from '@ironlaw/contracts/api'
import { expect, test } from 'vitest'
import { type ReadSteps, StepSeries } from './step-series.ts'

const row = (step: number): StepView => ({ step, at: step, seconds: 1, tokens: 1, world: 1, phases_s: {}, attempt: 1, cursor: `c${step}` })

/** Pages of a run that continues while it is read. */
function run(steps: number, page: number) {
  let length = steps
  const asked: (string | undefined)[] = []
  const readPage: ReadSteps = async (cursor) => {
    asked.push(cursor)
    const after = Number(cursor?.slice(1) ?? 0)
    const items = Array.from({ length: Math.min(page, length - after) }, (_, index) => row(after + index + 1))
    return { ok: true, value: { items, next: after + page < length ? `c${after + page}` : null } }
  }
  return { readPage, asked, grow: (more: number) => (length += more) }
}

test('all pages are read, and after that only what is new', async () => {
  const { readPage, asked, grow } = run(2500, 1000)
  const series = new StepSeries(readPage)
  expect(await series.readNewSteps()).toBe(true)
  expect(series.rows.map(({ step }) => step)).toEqual(Array.from({ length: 2500 }, (_, index) => index + 1))
  grow(3)
  await series.readNewSteps()
  expect(series.rows.length).toBe(2503)
  expect(asked.at(-1)).toBe('c2500')
  expect(asked.length).toBe(4)
})

test('concurrent callers share one read', async () => {
  const { readPage, asked } = run(2500, 1000)
  const series = new StepSeries(readPage)
  await Promise.all([series.readNewSteps(), series.readNewSteps()])
  expect(series.rows.length).toBe(2500)
  expect(asked.length).toBe(3)
})

test('a long run is thinned evenly, and its newest steps are there', async () => {
  const { readPage } = run(100_000, 1000)
  const series = new StepSeries(readPage)
  await series.readNewSteps()
  const steps = series.rows.map(({ step }) => step)
  const gaps = new Set(steps.slice(1).map((step, index) => step - (steps[index] ?? 0)))
  expect(gaps.size).toBe(1)
  expect(steps.length).toBeGreaterThan(3000)
  expect(steps.length).toBeLessThanOrEqual(6000)
  expect(100_000 - (steps.at(-1) ?? 0)).toBeLessThan(64)
})

test('a refused read keeps the existing steps', async () => {
  const problem = { ok: false, status: 503, title: 'away', next: '' } as const
  const series = new StepSeries(async () => problem)
  expect(await series.readNewSteps()).toBe(false)
  expect(series.rows).toEqual([])
})

test('a spike is found at a step that is no longer drawn', async () => {
  const items = Array.from({ length: 13_000 }, (_, at) => ({ ...row(at + 1), loss: at === 7001 ? 9 : 3 + 0.01 * Math.sin(at) }))
  const series = new StepSeries(async () => ({ ok: true, value: { items, next: null } }))
  await series.readNewSteps()
  expect(series.rows.some(({ step }) => step === 7002)).toBe(false)
  expect(series.spikes).toMatchObject([{ step: 7002, loss: 9 }])
})
