// What the controls of the serving studio write of a spec. Without the planner, so that the page can compare two states of its controls.

import type { ServeSpec } from '@ironlaw/contracts/serve-spec'
import type { PlannedServeSpec } from '@ironlaw/planner'
import { rateOf, type ServingQuestion } from './question.ts'

type WrittenQuestion = Omit<ServingQuestion, 'rank' | 'rest'>

export function writtenServeSpec(question: WrittenQuestion): PlannedServeSpec {
  const { model, config, accelerator, ttft_ms, tpot_ms, percentile, probability, engine, cache, spare, goal, split } = question
  return {
    apiVersion: 'ironlaw/v1',
    kind: 'Serve',
    name: config === '' ? (model.split('/').at(-1) ?? model) : 'config.json',
    model: config === '' ? model : './config.json',
    traffic: {
      requests_per_s: rateOf(question),
      input_tokens: question.input,
      output_tokens: question.output,
      cachedPrompt: Math.min(99, question.cached) / 100,
    },
    objectives: { ttft: `${ttft_ms} ms`, tpot: `${tpot_ms} ms`, percentile, probability: probability / 100 },
    ...(accelerator !== '' && { accelerators: [accelerator] }),
    engine,
    cache,
    spare,
    goal,
    disaggregated: split,
    ...layoutOf(question),
    ...speculationOf(question),
    ...(question.adapters > 0 && { adapters: { count: question.adapters, rank: question.adapterRank, targets: ['attention', 'mlp'] } }),
    ...offloadOf(question),
  }
}

function layoutOf({ tensor, copies }: WrittenQuestion): Pick<ServeSpec, 'layout'> {
  const layout = { ...(tensor > 0 && { tensor }), ...(copies > 0 && { data: copies }) }
  return Object.keys(layout).length === 0 ? {} : { layout }
}

function speculationOf({ speculation: method, drafted, acceptance, draft }: WrittenQuestion): Pick<ServeSpec, 'speculation'> {
  if (method === 'none') return {}
  return {
    speculation: {
      method,
      ...(method === 'draft' && draft !== '' && { model: draft }),
      draftedTokens: drafted,
      ...(acceptance > 0 && { acceptance: acceptance / 100 }),
    },
  }
}

function offloadOf({ offloadHost, offloadDrive, reuse_s }: WrittenQuestion): Pick<ServeSpec, 'offload'> {
  if (offloadHost === 0) return {}
  return {
    offload: { host: `${offloadHost} GB`, ...(offloadDrive > 0 && { drive: `${offloadDrive} GB` }), reuseAfter: `${reuse_s} s` },
  }
}
