// The published runs of facts/serving-runs as cases.

import { ENGINE_RUNTIMES, type EngineRuntime } from '../serving/engine-runtime.ts'
import { SERVING_PRECISIONS } from '../serving/precision.ts'
import type { ServingMachine } from '../serving/replica-design.ts'
import type { RefusedCase, ServingCase } from './case.ts'
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

export function publishedCases(machines: Machines): { readonly cases: readonly ServingCase[]; readonly refused: readonly RefusedCase[] } {
  const cases: ServingCase[] = []
  const refused: RefusedCase[] = []
  for (const row of publishedRuns) {
    const architecture = row.usable ? architectureNamed(row.model) : undefined
    if (!row.usable) refused.push({ id: row.id, reason: row.why })
    else if (!architecture) refused.push({ id: row.id, reason: 'architecture not known' })
    else
      cases.push({
        id: row.id,
        source: row.source,
        split: row.split,
        family: row.model,
        replica: {
          architecture,
          machine: withLinkBandwidth(machines(row.accelerator), row.link_bytes_per_s),
          precision: SERVING_PRECISIONS[row.precision],
          cache: row.cache,
          runtime: withDefaultLimits(ENGINE_RUNTIMES[row.engine], machines(row.accelerator)),
          layout: row.layout,
        },
        input: row.input,
        output: row.output,
        load: row.load.kind === 'concurrency' ? { ...row.load, spread: 1 } : row.load,
        measured: row.measured,
      })
  }
  return { cases, refused }
}
