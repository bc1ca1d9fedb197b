import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseRlSpec } from '@ironlaw/contracts/rl-spec'
import { parseServeSpec } from '@ironlaw/contracts/serve-spec'
import { parseTrainSpec } from '@ironlaw/contracts/train-spec'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseHash, stateOf } from '../address.ts'
import { RL } from '../rl/question.ts'
import { rlSpecFor } from '../rl/rl-answer.ts'
import { SERVING } from '../serving/question.ts'
import { serveSpecFor } from '../serving/serving-of.ts'
import { normalServeSpec } from '../serving/serving-state.ts'
import { TRAINING } from '../training/question.ts'
import { trainSpecFor } from '../training/training-of.ts'
import { normalTrainSpec } from '../training/training-state.ts'
import { specAddress } from './spec-address.ts'

const EXAMPLES = join(import.meta.dirname, '../../../../../examples')

const examples = (kind: string): readonly (readonly [string, string])[] =>
  readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => [file, readFileSync(join(EXAMPLES, file), 'utf8')] as const)
    .filter(([, text]) => text.includes(`\nkind: ${kind}\n`))

const HEAD = 'apiVersion: ironlaw/v1\nname: a-name\nmodel: meta-llama/Llama-3.1-8B\n'

const FINE_TUNING = `${HEAD}kind: Train
tokens: 0.5B tokens
sequence: 8k
globalBatch: 4.194304M tokens
precision: qlora
lora: { rank: 64, targets: attention }
optimizer: adam-8bit
method: dpo
documents: { lengths: { mean: 700, variation: 1.5 }, packed: false }
strategy: { optimizerOn: host, tensor: 2 }
failures: { perThousandNodeDays: 6.5, restart: in-process, checkpointTo: peers, spot: { life: 5d } }
fleet: { accelerator: h100-sxm, count: 16, perNode: 4 }
deadline: 3d
price: $2/h
`

const SERVING_SPEC = `${HEAD}kind: Serve
traffic: { requests_per_s: 0.333, input_tokens: 2000, output_tokens: 300, cachedPrompt: 0.5 }
objectives: { ttft: 0.5 s, tpot: 12.5 ms, percentile: p99, probability: 0.95 }
accelerators: [h100-sxm, h200-sxm]
precisions: [fp8]
cache: int8
engine: sglang
speculation: { method: draft, model: meta-llama/Llama-3.2-1B, draftedTokens: 5, acceptance: 0.64 }
adapters: { count: 32, rank: 8, targets: [attention], activePerBatch: 8 }
offload: { host: 0.064 TB, drive: 1 TB, reuseAfter: 5 min }
layout: { tensor: 2, data: 4, expert: 8 }
coldStart: 2 min
`

const RL_SPEC = `${HEAD}kind: RL
algorithm: ppo
steps: 500
prompts: 64
samples: 32
updateBatch: 512
promptTokens: 100
answers: { mean: 1000 }
longestAnswer: 4000
reference: false
staleness: 1
generation: { tensor: 2 }
fleet: { accelerator: h100-sxm, count: 16 }
`

function parametersOf(text: string, page: string): URLSearchParams {
  const result = specAddress(text)
  if (!result.ok) throw new Error(result.message)
  const found = parseHash(result.address)
  expect(found.page).toBe(page)
  return found.parameters
}

describe('a spec that is opened comes back as it was', () => {
  test.each([...examples('Train'), ['fine-tuning', FINE_TUNING] as const])('%s', (_name, text) => {
    const { run: _, ...spec } = normalTrainSpec(parseTrainSpec(parse(text), 'it'))
    expect(trainSpecFor(stateOf(TRAINING, parametersOf(text, 'train')))).toEqual(spec)
  })

  test.each([...examples('Serve'), ['every mechanism', SERVING_SPEC] as const])('%s', (_name, text) => {
    const spec = normalServeSpec(parseServeSpec(parse(text), 'it'))
    expect(serveSpecFor(stateOf(SERVING, parametersOf(text, 'serve')))).toEqual(spec)
  })

  test('reinforcement learning', () => {
    expect(rlSpecFor(stateOf(RL, parametersOf(RL_SPEC, 'rl')))).toEqual(parseRlSpec(parse(RL_SPEC), 'it'))
  })
})

test('fields with a control are in it, not in the rest', () => {
  const training = stateOf(TRAINING, parametersOf(FINE_TUNING, 'train'))
  expect(training).toMatchObject({ batch: 512, sequence: 8192, loraRank: 64, loraTargets: 'attention', method: 'dpo', optimizerOn: 'host' })
  expect(Object.keys(JSON.parse(training.rest)).toSorted()).toEqual([
    'documents.lengths',
    'failures.perThousandNodeDays',
    'failures.spot',
    'fleet.perNode',
    'name',
    'price',
    'runtime',
    'strategy.tensor',
  ])
  const serving = stateOf(SERVING, parametersOf(SERVING_SPEC, 'serve'))
  expect(serving).toMatchObject({
    speculation: 'draft',
    drafted: 5,
    acceptance: 64,
    adapters: 32,
    offloadHost: 64,
    offloadDrive: 1000,
    copies: 4,
  })
})

test.each([
  ['kind: Job\nname: x', 'the studios show Train, RL and Serve'],
  ['just text', 'missing; the studios show'],
  [`${HEAD}kind: RL\nstepz: 1`, 'steps'],
  ['a: [1, 2', 'line'],
])('%j is refused in words', (text, message) => {
  const result = specAddress(text)
  expect(result.ok ? 'accepted' : result.message).toContain(message)
})
