// How near the planned time of an evaluation comes to what it takes: twenty suites of different tasks, sizes and lengths, on engines whose steps
// take as long as a law says and on llama.cpp with a seeded model.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEvaluateSpec } from '@ironlaw/contracts/evaluate-spec'
import { type ServingEngine, startEngineHost } from '@ironlaw/engines'
import { openLlama } from '@ironlaw/engines/llamacpp'
import { SimulatedEngine } from '@ironlaw/engines/simulated'
import { probeEngine, runEvaluation } from '@ironlaw/evaluations'
import { forecastEvaluation, probedPlaces } from '@ironlaw/planner'
import { seededModel } from '../../../packages/effects/engines/src/llamacpp/seeded-model.fixture.ts'

type Suite = { readonly items: number; readonly words: readonly [number, number]; readonly tokens: number; readonly concurrency: number }

const SUITES: readonly Suite[] = [
  { items: 80, words: [2, 2], tokens: 8, concurrency: 1 },
  { items: 160, words: [2, 40], tokens: 8, concurrency: 4 },
  { items: 240, words: [10, 60], tokens: 16, concurrency: 8 },
  { items: 200, words: [2, 20], tokens: 32, concurrency: 8 },
  { items: 320, words: [1, 60], tokens: 4, concurrency: 8 },
  { items: 200, words: [30, 60], tokens: 2, concurrency: 2 },
  { items: 160, words: [2, 10], tokens: 24, concurrency: 16 },
  { items: 400, words: [2, 30], tokens: 6, concurrency: 4 },
  { items: 120, words: [40, 60], tokens: 20, concurrency: 4 },
  { items: 300, words: [2, 60], tokens: 12, concurrency: 12 },
]
const MOST_ERROR = 0.2
const MEASURED = 20
const CONTEXT = 512

type Outcome = {
  readonly engine: string
  readonly suite: Suite
  readonly planned_s: number
  readonly took_s: number
  readonly isInside: boolean
}

/** Whether the median error is at most a fifth. */
export async function predictedTime(): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), 'ironlaw-predicted-time-'))
  const simulated = new SimulatedEngine({
    model: { id: 'tiny', context_tokens: CONTEXT, slots: 8 },
    step_s: (running) => 0.002 + 0.0005 * running,
    prefill_s_per_token: 0.0002,
  })
  try {
    const outcomes = [
      ...(await suitesOn(simulated, { directory, name: 'simulated' })),
      ...(await suitesOn(
        await openLlama({ file: seededModel({ hidden: 64, layers: 2, heads: 4, context: CONTEXT }), id: 'tiny', threads: 1, slots: 8 }),
        { directory, name: 'llama.cpp' },
      )),
    ]
    console.log(['engine     items  words   tokens  at once  planned    took   error', ...outcomes.map(outcomeText)].join('\n'))
    const errors = outcomes.map(errorOf).toSorted((a, b) => a - b)
    const median = ((errors[errors.length / 2 - 1] ?? 1) + (errors[errors.length / 2] ?? 1)) / 2
    const inside = outcomes.filter(({ isInside }) => isInside).length
    console.log(
      `median error ${(100 * median).toFixed(1)} % over ${outcomes.length} suites; ${inside} took a time inside the 90 % interval`,
    )
    return median <= MOST_ERROR
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function suitesOn(
  engine: ServingEngine,
  { directory, name }: { readonly directory: string; readonly name: string },
): Promise<Outcome[]> {
  const host = await startEngineHost({ engine, max_queued: 64 })
  const outcomes: Outcome[] = []
  try {
    await host.warm()
    for (const [index, suite] of SUITES.entries()) {
      const request = requestOf(suite, { url: host.url, items: join(directory, `${name}-${index}.jsonl`) })
      const probe = await probeEngine({ ...request, items_measured: MEASURED, places: probedPlaces })
      const rule = { margin: 0.05, risk: { falseBlock: 0.05, miss: 0.05 }, looks: 1 }
      const { time_s } = forecastEvaluation({ sizes: probe.sizes, repeats: 1, probe, rule, differing: 0.1 })
      const { time_s: took_s } = await runEvaluation({ ...request, to: join(directory, `${name}-${index}`) })
      if (time_s && took_s !== undefined)
        outcomes.push({ engine: name, suite, planned_s: time_s.value, took_s, isInside: time_s.low <= took_s && took_s <= time_s.high })
    }
  } finally {
    await host.stop()
    await engine.close()
  }
  return outcomes
}

function requestOf({ items: count, words: [least, most], tokens, concurrency }: Suite, { url, items }: { url: string; items: string }) {
  const lines = Array.from({ length: count }, (_, index) => {
    // Neither in the order of length nor of one text: a prefix that was read before is not read again.
    const length = least + ((index * 7919) % (most - least + 1))
    return { id: `i${index}`, prompt: `${index} `.repeat(length).trim(), answers: ['a'], most_tokens: tokens }
  })
  writeFileSync(items, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const spec = {
    apiVersion: 'ironlaw/v1',
    kind: 'Evaluate',
    name: 'suite',
    items: { file: items },
    task: 'answer',
    engine: { url, concurrency },
  }
  return { spec: parseEvaluateSpec(spec, 'spec'), items, address: { url } }
}

const errorOf = ({ planned_s, took_s }: Outcome): number => Math.abs(planned_s - took_s) / took_s

const outcomeText = (outcome: Outcome): string => {
  const { engine, suite, planned_s, took_s } = outcome
  return [
    engine.padEnd(9),
    String(suite.items).padStart(6),
    suite.words.join('-').padStart(6),
    String(suite.tokens).padStart(8),
    String(suite.concurrency).padStart(8),
    `${planned_s.toFixed(2)} s`.padStart(8),
    `${took_s.toFixed(2)} s`.padStart(7),
    `${(100 * errorOf(outcome)).toFixed(1)} %`.padStart(7),
  ].join(' ')
}
