// The published runs of facts/serving-runs as cases.

import { ENGINE_RUNTIMES, type EngineRuntime } from '../serving/engine-runtime.ts'
import { SERVING_PRECISIONS } from '../serving/precision.ts'
import type { ServingMachine } from '../serving/replica-design.ts'
import type { RefusedCase, ServingCase, SimulatedCase } from './case.ts'
import { architectureNamed, type Machines } from './replica-of.ts'
import { publishedRuns } from './row.ts'

const withLinkBandwidth = (machine: ServingMachine, linkBandwidth: number | undefined): ServingMachine =>
  linkBandwidth === undefined ? machine : { ...machine, fabric: { ...machine.fabric, linkBandwidth } }

/**
 * Limits that vLLM takes where a run states none: those of `engine-runtime.ts` hold on cards with 70 GiB and more, but not on an A100, which
 * like smaller cards gets 256 sequences and 2,048 tokens a step (vllm/engine/arg_utils.py, get_batch_defaults).
 */
function withDefaultLimits(runtime: EngineRuntime, { accelerator, memory_bytes }: ServingMachine): EngineRuntime {
  const small = accelerator.startsWith('a100') || memory_bytes < SMALL_BYTES
  return runtime.name === 'vllm' && small ? { ...runtime, name: 'vllm on small cards', sequencesMost: 256, tokensPerStep: 2048 } : runtime
}

const SMALL_BYTES = 70 * 2 ** 30

export type PublishedCases = {
  readonly cases: readonly ServingCase[]
  readonly simulated: readonly SimulatedCase[]
  readonly refused: readonly RefusedCase[]
}

export function publishedCases(machines: Machines): PublishedCases {
  const cases: ServingCase[] = []
  const simulated: SimulatedCase[] = []
  const refused: RefusedCase[] = []
  for (const row of publishedRuns) {
    const architecture = row.usable ? architectureNamed(row.model) : undefined
    if (!row.usable) {
      refused.push({ id: row.id, reason: row.why })
      continue
    }
    if (!architecture) {
      refused.push({ id: row.id, reason: 'architecture not known' })
      continue
    }
    const { id, source, split, input, output, measured, load, percentiles } = row
    const replica = {
      architecture,
      machine: withLinkBandwidth(machines(row.accelerator), row.link_bytes_per_s),
      precision: SERVING_PRECISIONS[row.precision],
      cache: row.cache,
      runtime: withDefaultLimits(ENGINE_RUNTIMES[row.engine], machines(row.accelerator)),
      layout: row.layout,
    }
    const about = { id, source, split, family: row.model, replica, input, output, measured }
    if (load.kind === 'drain' || load.kind === 'poisson') simulated.push({ ...about, load, ...(percentiles && { percentiles }) })
    else cases.push({ ...about, load: load.kind === 'concurrency' ? { ...load, spread: 1 } : load })
  }
  return { cases, simulated, refused }
}
