// Engines whose steps take as long as a law says: what the probe predicts is what the run takes.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEvaluateSpec } from '@ironlaw/contracts/evaluate-spec'
import { startEngineHost } from '@ironlaw/engines'
import { SimulatedEngine } from '@ironlaw/engines/simulated'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { probeEngine } from './probe.ts'

let folder = ''
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ironlaw-probe-'))))
afterEach(() => rmSync(folder, { recursive: true }))

test('only items that were answered while the engine was full are measured, in whole waves', async () => {
  const engine = new SimulatedEngine({ model: { id: 'tiny', context_tokens: 512, slots: 4 }, step_s: () => 0.002, prefill_s_per_token: 0 })
  const host = await startEngineHost({ engine, max_queued: 64 })
  await host.warm()
  const items = join(folder, 'items.jsonl')
  const lines = Array.from({ length: 60 }, (_, index) => ({
    id: `i${index}`,
    prompt: 'a'.repeat(index + 1),
    answers: ['a'],
    most_tokens: 5,
  }))
  writeFileSync(items, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const spec = parseEvaluateSpec(
    {
      apiVersion: 'ironlaw/v1',
      kind: 'Evaluate',
      name: 'lengths',
      items: { file: 'items.jsonl' },
      task: 'answer',
      engine: { url: host.url, concurrency: 4 },
    },
    'spec',
  )
  const asked: number[] = []
  const places = (sizes: readonly number[], wanted: number): readonly number[] => {
    asked.push(sizes.length, wanted)
    return Array.from({ length: wanted }, (_, index) => index)
  }
  const probe = await probeEngine({ spec, items, address: { url: host.url }, items_measured: 10, places })
  await host.stop()
  expect(asked).toEqual([60, 20])
  expect(probe.items).toHaveLength(12)
  expect(probe.sizes.slice(0, 3)).toEqual([1, 2, 3])
  expect(probe.items.every(({ tokens_out, ms }) => tokens_out === 5 && ms > 5)).toBe(true)
  expect(probe.time_s).toBeGreaterThan(0)
  expect(probe.time_s).toBeLessThan(probe.took_s)
})
