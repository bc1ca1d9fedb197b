import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { simulatedRequests } from '@ironlaw/simulator/serving'
import { simulatedEngine } from '../calibrate/engine-entry.ts'
import { findEngine } from '../calibrate/engine-source.ts'
import { writeVersion } from '../calibrate/measured-file.ts'
import { TINY_COSTS, TINY_ENTRY } from '../calibrate/tiny-engine.fixture.ts'
import { compareWithEngine, type ComparisonFlags, engineComparison } from './bench-against-engine.ts'
import { comparisonText } from './bench-against-text.ts'
import type { TimedRequest } from './bench-statistics.ts'

const directory = mkdtempSync(join(tmpdir(), 'ironlaw-bench-'))
beforeAll(() => {
  vi.stubEnv('IRONLAW_MEASURED', directory)
  writeVersion({ made: { at: '2026-11-15', by: 'test' }, catalog: {}, engines: { tiny: TINY_ENTRY }, finished: [] })
})
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(directory, { recursive: true })
})

const WINDOW = { from_s: 10, to_s: 60 }
const [NETWORK_S, SLOWER, CACHED] = [0.004, 1.5, 20]
const [COLD_S, LATER_S] = [0.5, 1e-4]

/**
 * A request every half second to an engine that takes 1.5 times as long as the entry. In the first half of the warm-up everything is cold;
 * after it the network is a little slower.
 */
function answers(): readonly TimedRequest[] {
  const engine = simulatedEngine(TINY_ENTRY)
  const decode = TINY_COSTS.decode.map(({ sequences, seconds }) => ({ sequences, seconds: SLOWER * seconds }))
  const slower = { ...engine, costs: { ...TINY_COSTS, decode, decodeKey_s: SLOWER * TINY_COSTS.decodeKey_s } }
  const rows = Array.from({ length: 140 }, (_, index) => ({ at_s: index / 2, prompt: 60 + (index % 7), output: 20 + (index % 5) }))
  const calibrated = { engine: slower, sharing: [], network_s: NETWORK_S }
  return simulatedRequests(calibrated, rows, { replicas: 1, router: 'kv-aware' }).map(
    ({ at_s, ttft_s, latency_s, causes, output }, index) => ({
      dueAt: at_s,
      sentAt: at_s,
      firstAt: at_s + ttft_s,
      endedAt: at_s + latency_s + (at_s < 5 ? 2 * COLD_S : at_s >= 10 ? LATER_S : 0),
      tokens: output,
      ok: true,
      spent: {
        prompt_tokens: (rows[index]?.prompt ?? 0) + CACHED,
        cached_tokens: CACHED,
        completion_tokens: output,
        timings: { queue_s: causes.queue, prefill_s: causes.prefill, decode_s: causes.decode + (at_s < 5 ? COLD_S : 0) },
      },
    }),
  )
}

function runComparison(flags: ComparisonFlags, all = answers()) {
  const wanted = engineComparison({ engine: 'tiny', ...flags })
  if (!wanted) throw new Error('nothing was wanted')
  const against = compareWithEngine(wanted, all, WINDOW)
  if (against.answer !== 'compared') throw new Error(against.why)
  return against
}

test('compares seconds by cause with the prediction, and reports the error of each figure', () => {
  const { ledger, figures, requests, network_s, one_machine } = runComparison({})
  expect(one_machine).toBe(false)
  // Only answers that ended within the measured period, which excludes the warm-up.
  expect(requests).toBe(100)
  expect(network_s).toBeCloseTo(NETWORK_S, 6)
  expect(ledger.gap.cause).toBe('decode')
  for (const { cause, measured_s, predicted_s } of ledger.causes)
    expect(predicted_s, cause).toBeCloseTo(
      cause === 'decode' ? measured_s / SLOWER : cause === 'network' ? measured_s - requests * LATER_S : measured_s,
      6,
    )
  expect(ledger.causes.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9)
  expect(figures.map(({ figure, error }) => [figure, 0 + Math.round(100 * error)])).toEqual([
    ['ttft p50', 0],
    ['ttft p95', 0],
    ['tpot p50', -33],
    ['tpot p95', -33],
    ['tokens/s', 0],
  ])
})

test('the text shows where the time went, the errors, and the next step', () => {
  const text = comparisonText(runComparison({}))
  expect(text).toMatch(/^the same requests through the simulator: tiny as measured \(version 1\), 1 replica, kv-aware/)
  expect(text).toMatch(/decode +\d.* s .*█/)
  expect(text).toMatch(/largest gap: decode, .* more than predicted/)
  expect(text).toMatch(/per token p50 +3\.\d+ ms +2\.\d+ ms +-33\.\d %/)
  expect(text).toContain('--feedback')
  expect(text).not.toContain('cold start')
})

test('feedback corrects the next version, and an inconclusive test corrects nothing', () => {
  const few = runComparison({ feedback: true }, answers().slice(0, 60))
  expect(few.feedback).toMatchObject({ taught: false, why: expect.stringContaining('too few to learn from') })
  const failing = answers().map((each, index) => ({ ...each, ok: index < 138 || index % 2 === 0 }))
  const half = [...failing, ...failing.map((each) => ({ ...each, ok: false }))]
  expect(runComparison({ feedback: true }, half).feedback).toMatchObject({ taught: false, why: '100 of 200 requests failed' })
  expect(findEngine({ flag: '--engine', id: 'tiny', command: 'bench serve' }).version).toBe(1)

  const taught = runComparison({ feedback: true })
  expect(taught.feedback).toMatchObject({
    taught: true,
    version: 2,
    factors: { decode: expect.closeTo(SLOWER, 3), prefill: expect.closeTo(1, 3) },
  })
  expect(comparisonText(taught)).toContain('learnt: answers take 1.50 times as long, prompts 1.00 times\n')
  const { version, figures } = runComparison({})
  expect(version).toBe(2)
  expect(runComparison({ replicas: '2', oneMachine: true })).toMatchObject({ one_machine: true, replicas: 2 })
  for (const { figure, error } of figures) expect(Math.abs(error), figure).toBeLessThan(0.005)
})

test('answers without timings are not compared', () => {
  const wanted = engineComparison({ engine: 'tiny' })
  const silent = answers().map(({ dueAt, sentAt, firstAt, endedAt, tokens, ok }) => ({ dueAt, sentAt, firstAt, endedAt, tokens, ok }))
  const against = wanted && compareWithEngine(wanted, silent, WINDOW)
  expect(against).toMatchObject({ answer: 'untold', why: expect.stringContaining('"timings"') })
  expect(against && comparisonText(against)).toContain('nothing to compare')
})

test('rejects conflicting flags before anything is measured', () => {
  expect(engineComparison({})).toBeUndefined()
  expect(() => engineComparison({ feedback: true })).toThrow('give --engine as well')
  expect(() => engineComparison({ replicas: '2' })).toThrow('give --engine as well')
  expect(() => engineComparison({ engine: 'huge' })).toThrow('no engine of that name')
  expect(() => engineComparison({ engine: 'tiny', router: 'fastest' })).toThrow('unknown router')
  expect(() => engineComparison({ engine: 'tiny', replicas: '3', oneMachine: true })).toThrow('--copies 3')
})
