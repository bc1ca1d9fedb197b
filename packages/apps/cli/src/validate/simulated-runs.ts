// Published runs that no steady state describes, predicted by simulating them: queues that drain, and what users feel when requests come at
// random. The replica is that of the planner, the scheduler that of the simulator.

import type { Catalog } from '@ironlaw/catalog'
import { LENGTH_VARIATION } from '@ironlaw/contracts'
import { preparedReplica } from '@ironlaw/planner'
import { type SimulatedCase, simulatedCases } from '@ironlaw/planner/serving-validation'
import {
  type Arrivals,
  drawnArrivals,
  fixedLength,
  logNormalLength,
  type ReplicaRule,
  type ServingOutcome,
  simulateServing,
  VLLM_RULE,
} from '@ironlaw/simulator/serving'

type SimulatedFigure = { readonly figure: string; readonly measured: number; readonly predicted: number; readonly error: number }

export type SimulatedRow = {
  readonly id: string
  readonly split: SimulatedCase['split']
  readonly kind: SimulatedCase['load']['kind']
  readonly run: string
  readonly figures: readonly SimulatedFigure[]
}

const SEED = 1
/** The 99th percentile of as many varies by some 5 % from seed to seed. */
const DRAWN = 6000

export const simulatedRows = (catalog: Catalog): readonly SimulatedRow[] => simulatedCases(catalog).map(simulatedRow)

function simulatedRow(asked: SimulatedCase): SimulatedRow {
  const outcome = simulateServing({ replica: replicaOf(asked), replicas: 1, router: 'round-robin' }, arrivalsOf(asked), { seed: SEED })
  const { id, split, load, family, replica, input, output } = asked
  const traffic = load.kind === 'drain' ? `${load.requests} at once` : `${load.requests_per_s}/s`
  return {
    id,
    split,
    kind: load.kind,
    run: [family, replica.runtime.name, replica.machine.accelerator, replica.precision.name, `${traffic} ${input}/${output}`].join(', '),
    figures: figuresOf(asked, outcome),
  }
}

function replicaOf({ replica }: SimulatedCase): ReplicaRule {
  const { runtime, layout } = replica
  const { step, memory } = preparedReplica(replica)
  return {
    ...VLLM_RULE,
    lanes: layout.pipeline,
    cost: step.time,
    tokensPerStep: runtime.tokensPerStep * layout.data,
    sequencesMost: Math.ceil((runtime.sequencesMost * layout.data) / layout.pipeline),
    blocks: Math.floor(memory.tokens / VLLM_RULE.blockTokens / layout.pipeline),
    request_s: runtime.request_s,
  }
}

/** Benchmarks that queue everything draw prompts of one length; those with a data set have its spread, which is taken for that of users. */
function arrivalsOf({ load, input, output }: SimulatedCase): Arrivals {
  if (load.kind === 'poisson')
    return drawnArrivals({
      requests_per_s: load.requests_per_s,
      burstiness: 1,
      prompt: logNormalLength(input, LENGTH_VARIATION),
      output: logNormalLength(output, LENGTH_VARIATION),
      count: DRAWN,
      seed: SEED,
    })
  const drawn = drawnArrivals({
    requests_per_s: 1,
    burstiness: 1,
    prompt: fixedLength(Math.round(input)),
    output: fixedLength(Math.round(output)),
    count: load.requests,
    seed: SEED,
  })
  return (into) => {
    const more = drawn(into)
    into.at = 0
    return more
  }
}

function figuresOf({ load, measured, percentiles }: SimulatedCase, outcome: ServingOutcome): readonly SimulatedFigure[] {
  const of = (figure: string, value: number | undefined, predicted: number): SimulatedFigure[] =>
    value === undefined ? [] : [{ figure, measured: value, predicted, error: predicted / value - 1 }]
  if (load.kind === 'drain')
    return [
      ...of('output tokens/s', measured.output_tokens_per_s, outcome.output_tokens_per_s),
      ...of('time per token, mean', measured.tpot_s, outcome.tpot_s.mean),
    ]
  return [
    ...of('time to first token, p50', percentiles?.ttft_s.p50, outcome.ttft_s.p50),
    ...of('time to first token, p99', percentiles?.ttft_s.p99, outcome.ttft_s.p99),
    ...of('time per token, p50', percentiles?.tpot_s.p50, outcome.tpot_s.p50),
    ...of('time per token, p99', percentiles?.tpot_s.p99, outcome.tpot_s.p99),
  ]
}
