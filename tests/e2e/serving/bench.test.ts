// `ironlaw bench serve --engine` against a gateway and an engine host: the time that the host tells reaches the ledger, and what is learnt
// changes the next prediction. How good a prediction is depends on the machine; that is measured by `npm run compare:serving`.

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEngineHost } from '@ironlaw/engines'
import { SimulatedEngine } from '@ironlaw/engines/simulated'
import { afterEach, expect, test } from 'vitest'
import * as z from 'zod'
import { KEY, snapshotOf, startWithSnapshot } from '../../../packages/effects/gateway/test/setting.ts'

const CLI = join(import.meta.dirname, '../../../packages/apps/cli/src/main.ts')
const [STEP_S, TOKENS] = [0.004, 10]

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})

/** Half as long as the engine takes; a prompt beside a step would make that one longer. */
const ENTRY = {
  sources: { calibrate: { ref: 'ironlaw calibrate engine on nothing', date: '2026-11-15' } },
  setting: { slots: 8, threads: 1, context_tokens: 4096, batch_tokens: 512 },
  decode: { 1: { is: '2 ms' }, 8: { is: '2 ms' } },
  decodeKey: { is: '0 s' },
  prefillSequence: { is: '0 s' },
  prefillToken: { is: '0 s' },
  prefillPair: { is: '0 s' },
  request: { is: '1 ms' },
  sharing: { 1: { is: '1' } },
}

const BENCH = z.object({
  answers: z.number(),
  failed: z.number(),
  prediction: z.object({
    answer: z.literal('compared'),
    version: z.number(),
    requests: z.number(),
    ledger: z.object({
      wall_s: z.number(),
      causes: z.array(z.object({ cause: z.string(), measured_s: z.number(), predicted_s: z.number() })),
    }),
    figures: z.array(z.object({ figure: z.string(), predicted: z.number() })),
    feedback: z.object({ taught: z.literal(true), version: z.number(), factors: z.object({ decode: z.number() }) }).optional(),
  }),
})

/** A test that is too noisy to be used, which this short one may be, ends with 3 and answers all the same. */
function bench(gateway: string, measured: string, ...flags: readonly string[]): Promise<z.infer<typeof BENCH>> {
  const given = ['--scenario', 'offline', '--concurrency', '8', '--seconds', '4', '--warm-up', '0.5', '--input', '20']
  const argv = [CLI, 'bench', 'serve', 'm', ...given, '--output', String(TOKENS), '--engine', 'tiny', '--json', ...flags]
  const env = { ...process.env, IRONLAW_MEASURED: measured, IRONLAW_GATEWAY: gateway, IRONLAW_KEY: KEY }
  const { promise, resolve, reject } = Promise.withResolvers<z.infer<typeof BENCH>>()
  execFile(process.execPath, argv, { env }, (failure, stdout, stderr) => {
    if (failure && failure.code !== 3) reject(new Error(stderr, { cause: failure }))
    else resolve(BENCH.parse(JSON.parse(stdout)))
  })
  return promise
}

test('a measurement is divided by cause, and what it teaches changes the next prediction', { timeout: 60_000 }, async () => {
  const measured = mkdtempSync(join(tmpdir(), 'ironlaw-bench-'))
  stops.push(async () => rmSync(measured, { recursive: true }))
  const document = { made: { at: '2026-11-15', by: 'test' }, engines: { tiny: ENTRY } }
  writeFileSync(join(measured, '000001.yaml'), JSON.stringify(document))
  const model = { id: 'm', context_tokens: 4096, slots: 8 }
  const host = await startEngineHost({ engine: new SimulatedEngine({ model, step_s: () => STEP_S, prefill_s_per_token: 0 }) })
  await host.warm()
  stops.push(() => host.stop({ drain_s: 0 }))
  const gateway = await startWithSnapshot(snapshotOf([host.url]))
  stops.push(() => gateway.stop({ drain_s: 0 }))

  const before = await bench(gateway.url, measured, '--feedback')
  const { requests, ledger, feedback } = before.prediction
  expect(before).toMatchObject({ failed: 0, prediction: { version: 1, requests: before.answers } })
  const decode = ledger.causes.find(({ cause }) => cause === 'decode')
  // A timer may be early by a millisecond.
  expect(decode?.measured_s).toBeGreaterThan(requests * (TOKENS - 1) * (STEP_S - 0.001))
  expect(decode?.predicted_s).toBeCloseTo((requests * (TOKENS - 1) * STEP_S) / 2, 0)
  expect(ledger.causes.reduce((sum, { measured_s }) => sum + measured_s, 0)).toBeCloseTo(ledger.wall_s, 6)
  expect(feedback).toMatchObject({ version: 2, factors: { decode: expect.toSatisfy((factor: number) => factor > 1.4) } })

  const after = await bench(gateway.url, measured, '--seconds', '1')
  expect(after.prediction.version).toBe(2)
  const tpot = ({ prediction: { figures } }: typeof after): number => figures.find(({ figure }) => figure === 'tpot p50')?.predicted ?? 0
  expect(tpot(after)).toBeGreaterThan(1.3 * tpot(before))
})

test('a model with a short context is measured with requests that fit, and the note says so', { timeout: 120_000 }, async () => {
  const model = { id: 'm', context_tokens: 128, slots: 8 }
  const host = await startEngineHost({ engine: new SimulatedEngine({ model, step_s: () => STEP_S, prefill_s_per_token: 0 }) })
  await host.warm()
  stops.push(() => host.stop({ drain_s: 0 }))
  const gateway = await startWithSnapshot(snapshotOf([host.url]))
  stops.push(() => gateway.stop({ drain_s: 0 }))
  const argv = [CLI, 'bench', 'serve', 'm', '--scenario', 'single-stream', '--seconds', '2', '--warm-up', '0.2']
  const env = { ...process.env, IRONLAW_GATEWAY: gateway.url, IRONLAW_KEY: KEY }
  const { promise, resolve } = Promise.withResolvers<readonly [string, string]>()
  execFile(process.execPath, argv, { env }, (_failure, stdout, stderr) => resolve([stdout, stderr]))
  const [said, noted] = await promise
  expect(said).toMatch(/^single-stream: [1-9]\d* answers, 0 failed/)
  expect(noted).toMatch(/prompts of \d+ tokens instead of 256, answers of \d+ instead of 64: longer ones do not fit/)
})

test('a trace is replayed whole, each request as long as it says', { timeout: 120_000 }, async () => {
  const model = { id: 'm', context_tokens: 128, slots: 8 }
  const host = await startEngineHost({ engine: new SimulatedEngine({ model, step_s: () => STEP_S, prefill_s_per_token: 0 }) })
  await host.warm()
  stops.push(() => host.stop({ drain_s: 0 }))
  const gateway = await startWithSnapshot(snapshotOf([host.url]))
  stops.push(() => gateway.stop({ drain_s: 0 }))
  const directory = mkdtempSync(join(tmpdir(), 'ironlaw-bench-'))
  stops.push(async () => rmSync(directory, { recursive: true }))
  const rows = Array.from({ length: 120 }, (_, index) => `${index / 10},${40 + (index % 2) * 20},${1 + (index % 3)}`)
  writeFileSync(join(directory, 'trace.csv'), ['arrival_s,input_tokens,output_tokens', ...rows].join('\n'))
  const argv = [CLI, 'bench', 'serve', 'm', '--trace', join(directory, 'trace.csv'), '--speed', '10', '--json']
  const env = { ...process.env, IRONLAW_GATEWAY: gateway.url, IRONLAW_KEY: KEY }
  const { promise, resolve } = Promise.withResolvers<string>()
  execFile(process.execPath, argv, { env }, (_failure, stdout) => resolve(stdout))
  const figures = z.object({ answers: z.number(), failed: z.number() }).parse(JSON.parse(await promise))
  expect(figures).toEqual({ answers: 120, failed: 0 })
  const served = gateway.totals().replicas[0]?.answers ?? 0
  expect(served).toBeGreaterThanOrEqual(120)
})
