import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { writeVersion } from '../calibrate/measured-file.ts'
import { TINY_ENTRY } from '../calibrate/tiny-engine.fixture.ts'
import { simulateServeAnswer } from './simulate-serve.ts'
import type { SimulateServeFlags } from './simulate-serve-flags.ts'

const FLAGS: SimulateServeFlags = {
  model: 'Llama-3.1-8B',
  on: 'h100-sxm',
  tensor: '1',
  precision: 'bf16',
  burstiness: '1',
  speed: '1',
  requests: '400',
  router: 'two-choices',
  coldStart: '60s',
  repair: '10min',
  seed: '1',
}
const DRAWN = { ...FLAGS, rate: '20', input: '500', output: '100' }

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ironlaw-simulate-serve-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const writeTrace = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

describe('ironlaw simulate serve', () => {
  test('gives figures, a picture, and the share within the objectives', () => {
    const { json, text } = simulateServeAnswer(undefined, { ...DRAWN, ttft: '500ms', tpot: '30ms', replicas: '2' })
    expect(json).toMatchObject({ requests: 400, done: 400, attained: 1, router: 'two-choices', objectives: { ttft_s: 0.5, tpot_s: 0.03 } })
    expect(text()).toContain('2 replicas of 1 x h100-sxm')
    expect(text()).toContain('100.0 % of requests: first token within 500 ms')
  })

  test('simulates the best plan of a spec, with separate prefill if the plan has it', () => {
    const spec = (disaggregated: string): string =>
      `{ "apiVersion": "ironlaw/v1", "kind": "Serve", "name": "chat", "model": "Llama-3.1-8B", "accelerators": ["h100-sxm"], "disaggregated": "${disaggregated}", "traffic": { "requests_per_s": 30, "input_tokens": 800, "output_tokens": 100 }, "objectives": { "ttft": "500 ms", "tpot": "40 ms" } }`
    const { model: _model, on: _on, ...flags } = FLAGS
    const shared = simulateServeAnswer(writeTrace('shared.json', spec('never')), flags)
    expect(shared.json).toMatchObject({ done: 400, predicted: { percentile: 'p90' } })
    expect(simulateServeAnswer(writeTrace('parted.json', spec('only')), flags).text()).toContain('more for prompts')
  })

  test('replays a trace, with the prefixes that it names', () => {
    const line = (at: number): string => `{"timestamp": ${at}, "input_length": 2100, "output_length": 20, "hash_ids": [1, 2, 3, 4, ${at}]}`
    const trace = writeTrace('trace.jsonl', [0, 2000, 4000, 6000].map(line).join('\n'))
    expect(simulateServeAnswer(undefined, { ...FLAGS, trace }).json).toMatchObject({ done: 4, cached: (3 * 2048) / (4 * 2100) })
  })

  test('says what is wrong', () => {
    const asked: readonly (readonly [SimulateServeFlags, string])[] = [
      [{ ...DRAWN, router: 'fastest' }, 'unknown router "fastest"'],
      [FLAGS, 'give --rate'],
      [{ ...DRAWN, trace: join(folder, 'none.csv') }, 'there is no such file'],
      [{ ...DRAWN, trace: writeTrace('odd.csv', 'a,b\n1,2\n') }, 'no trace format'],
      [{ ...DRAWN, model: 'Llama-3.1-405B' }, 'does not fit'],
      [{ ...DRAWN, precision: 'bf15' }, 'unknown engine or precision'],
    ]
    for (const [flags, problem] of asked) expect(() => simulateServeAnswer(undefined, flags)).toThrow(problem)
    expect(() => simulateServeAnswer(writeTrace('other.json', '{}'), FLAGS)).toThrow('it holds no serving plan')
  })
})

describe('ironlaw simulate serve --engine', () => {
  const { model: _model, on: _on, coldStart: _cold, ...flags } = FLAGS
  const tiny = { ...flags, engine: 'tiny', rate: '8', input: '100', output: '32' }
  beforeAll(() => {
    vi.stubEnv('IRONLAW_MEASURED', join(folder, 'measured'))
    writeVersion({ made: { at: '2026-11-15', by: 'test' }, catalog: {}, engines: { tiny: TINY_ENTRY }, finished: [] })
  })
  afterAll(() => vi.unstubAllEnvs())

  const ttft = (over: object): number => {
    const { ttft_s } = z.object({ ttft_s: z.object({ mean: z.number() }) }).parse(simulateServeAnswer(undefined, { ...tiny, ...over }).json)
    return ttft_s.mean
  }

  test('is a replica as it was measured, and says which', () => {
    const { json, text } = simulateServeAnswer(undefined, { ...tiny, replicas: '2' })
    expect(json).toMatchObject({ done: 400, deployment: { engine: 'tiny', version: 1, slots: 8, context_tokens: 768, replicas: 2 } })
    expect(text()).toMatch(/^tiny, 2 replicas on a machine each, two-choices\nas measured on here, 20.* \(version 1\)/)
    // A lone prompt of 100 tokens: the request, the prompt, its tokens.
    const alone = 0.001 + 0.003 + 100 * 0.0004
    expect(ttft({ rate: '0.01', replicas: '2' })).toBeGreaterThan(0.8 * alone)
    expect(ttft({ rate: '0.01', replicas: '2' })).toBeLessThan(1.2 * alone)
  })

  test('replicas on one machine slow each other down, as far as was measured', () => {
    expect(ttft({ replicas: '2', rate: '20', oneMachine: true })).toBeGreaterThan(1.1 * ttft({ replicas: '2', rate: '20' }))
    expect(() => simulateServeAnswer(undefined, { ...tiny, replicas: '3', oneMachine: true })).toThrow('--copies 3')
    expect(() => simulateServeAnswer(undefined, { ...DRAWN, oneMachine: true })).toThrow('--one-machine requires --engine')
  })

  test('replays a trace that fits into its context', () => {
    const line = (at: number, prompt: number): string =>
      `{"timestamp": ${at}, "input_length": ${prompt}, "output_length": 700, "hash_ids": [1]}`
    const trace = writeTrace('fits.jsonl', [0, 9000].map((at) => line(at, 600)).join('\n'))
    // An answer ends at the context limit.
    expect(simulateServeAnswer(undefined, { ...tiny, trace }).json).toMatchObject({ done: 2, decoded_tokens: 2 * 168, cached: 512 / 1200 })
    const long = writeTrace('long.jsonl', [line(0, 600), line(1, 768)].join('\n'))
    expect(() => simulateServeAnswer(undefined, { ...tiny, trace: long })).toThrow('1 of 2 prompts of the trace do not fit into the 768')
  })

  test('rejects conflicting flags', () => {
    expect(() => simulateServeAnswer(undefined, { ...tiny, engine: 'huge' })).toThrow(
      'no engine of that name was measured; measured engines: tiny',
    )
    expect(() => simulateServeAnswer('serve.yaml', { ...tiny, model: 'gpt2', precision: 'fp8' })).toThrow(
      'leave out a file, --model, --precision',
    )
  })
})
