import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { simulateServeAnswer, type SimulateServeFlags } from './simulate-serve.ts'

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

const written = (name: string, text: string): string => {
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

  test('simulates the best plan of a spec, and prompts apart where the plan says so', () => {
    const spec = (disaggregated: string): string =>
      `{ "apiVersion": "ironlaw/v1", "kind": "Serve", "name": "chat", "model": "Llama-3.1-8B", "accelerators": ["h100-sxm"], "disaggregated": "${disaggregated}", "traffic": { "requests_per_s": 30, "input_tokens": 800, "output_tokens": 100 }, "objectives": { "ttft": "500 ms", "tpot": "40 ms" } }`
    const { model: _model, on: _on, ...flags } = FLAGS
    const shared = simulateServeAnswer(written('shared.json', spec('never')), flags)
    expect(shared.json).toMatchObject({ done: 400, predicted: { percentile: 'p90' } })
    expect(simulateServeAnswer(written('parted.json', spec('only')), flags).text()).toContain('more for prompts')
  })

  test('replays a trace, with the prefixes that it names', () => {
    const line = (at: number): string => `{"timestamp": ${at}, "input_length": 2100, "output_length": 20, "hash_ids": [1, 2, 3, 4, ${at}]}`
    const trace = written('trace.jsonl', [0, 2000, 4000, 6000].map(line).join('\n'))
    expect(simulateServeAnswer(undefined, { ...FLAGS, trace }).json).toMatchObject({ done: 4, cached: (3 * 2048) / (4 * 2100) })
  })

  test('says what is wrong', () => {
    const asked: readonly (readonly [SimulateServeFlags, string])[] = [
      [{ ...DRAWN, router: 'fastest' }, 'there is no router "fastest"'],
      [FLAGS, 'give --rate'],
      [{ ...DRAWN, trace: join(folder, 'none.csv') }, 'there is no such file'],
      [{ ...DRAWN, trace: written('odd.csv', 'a,b\n1,2\n') }, 'no trace format'],
      [{ ...DRAWN, model: 'Llama-3.1-405B' }, 'does not fit'],
      [{ ...DRAWN, precision: 'bf15' }, 'unknown engine or precision'],
    ]
    for (const [flags, problem] of asked) expect(() => simulateServeAnswer(undefined, flags)).toThrow(problem)
    expect(() => simulateServeAnswer(written('other.json', '{}'), FLAGS)).toThrow('it holds no serving plan')
  })
})
