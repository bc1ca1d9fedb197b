// What a plan states holds for traffic that the planner did not see: specs are drawn, planned, and simulated with another seed.
// `npm run plans:serving` draws 500.

import { builtInCatalog } from '@ironlaw/catalog'
import type { ServingPlan } from '@ironlaw/contracts'
import { builtInModel, importConfig } from '@ironlaw/models'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type FleetTrial, fleetTrials } from './fleet-trial.ts'
import { planServing } from './plan-serving.ts'
import type { PoolChoice } from './pool-choice.ts'
import { preparedReplica } from './prepared-replica.ts'
import { replicaDesign } from './replica-rule.ts'
import type { ServingPlanInputs } from './serving-inputs.ts'

const ASKED = process.env['PLANS_DRAWS']
const DRAWS = Number(ASKED ?? 4)
/** Another one each time that many are drawn. */
const SEED = Number(process.env['PLANS_SEED'] ?? (ASKED === undefined ? 1 : Math.floor(Date.now() / 1000)))

const architectureOf = (model: string): ServingPlanInputs['architecture'] => {
  const imported = importConfig(builtInModel(model)?.config)
  if (!imported.ok) throw new Error(imported.problem)
  return imported.architecture
}

const specs: fc.Arbitrary<ServingPlanInputs> = fc
  .record({
    model: fc.constantFrom('Llama-3.1-8B', 'Llama-3.1-70B', 'Qwen3-30B-A3B', 'gpt-oss-20b', 'Mixtral-8x7B'),
    accelerator: fc.constantFrom('h100-sxm', 'h200-sxm', 'b200', 'a100-80gb-sxm', 'l40s', 'mi300x'),
    engine: fc.constantFrom<ServingPlanInputs['engine']>('vllm', 'vllm', 'sglang', 'tensorrt-llm'),
    requests_per_s: fc.constantFrom(0.5, 2, 10, 50, 400),
    input_tokens: fc.constantFrom(200, 1000, 4000, 16_000),
    output_tokens: fc.constantFrom(50, 250, 1000),
    cachedPrompt: fc.constantFrom(0, 0, 0.5),
    ttft_s: fc.constantFrom(0.8, 2, 6),
    tpot_s: fc.constantFrom(0.025, 0.05, 0.1),
    percentile: fc.constantFrom<ServingPlan['objectives']['percentile']>('p90', 'p90', 'p50', 'mean', 'p99'),
    probability: fc.constantFrom(0.9, 0.9, 0.8, 0.95),
    disaggregated: fc.constantFrom<ServingPlanInputs['disaggregated']>('never', 'allowed'),
  })
  .map(({ model, accelerator, engine, disaggregated, ttft_s, tpot_s, percentile, probability, ...traffic }) => ({
    name: 'drawn',
    model,
    architecture: architectureOf(model),
    traffic,
    objectives: { ttft_s, tpot_s, percentile, probability },
    accelerators: [accelerator],
    engine,
    cache: 'bf16',
    spare: 1,
    goal: 'cost',
    disaggregated,
  }))

/** The replicas that carry the load, with traffic of another seed, percentiles as they are. */
function anotherTrial(plan: ServingPlan, wanted: ServingPlanInputs, seed: number): FleetTrial {
  const { prediction } = plan
  const parts = plan.pools.map(({ role, layout }): PoolChoice => {
    const { speculation: _, ...described } = plan
    const design = replicaDesign(builtInCatalog, { ...described, architecture: wanted.architecture }, layout)
    if (!design) throw new Error(`${plan.engine} ${plan.precision}`)
    const { ttft_s, tpot_s, decoding, binding, replica_requests_per_s: requests_per_s } = prediction
    return { role, option: preparedReplica(design), capacity: { ok: true, requests_per_s, ttft_s, tpot_s, decoding, binding } }
  })
  const carrying = plan.pools.map(({ replicas }) => replicas - plan.spare)
  return fleetTrials(parts, wanted, { seed, margin: 0 })(carrying, wanted.traffic.requests_per_s, 'figures')
}

function missText({ model, traffic, objectives }: ServingPlanInputs, plan: ServingPlan | undefined, trials: readonly FleetTrial[]): string {
  const felt = trials.map(({ probability, felt: { ttft, tpot } }) =>
    [probability, ttft.value, tpot.value].map((each) => each.toPrecision(3)).join(' '),
  )
  const pools = plan?.pools.map(({ role, replicas, layout }) => `${replicas} ${role} ${JSON.stringify(layout)}`).join(' + ')
  return `missed: ${model} on ${plan?.accelerator} ${plan?.precision} by ${plan?.engine}, ${pools}, ${JSON.stringify({ ...traffic, ...objectives })}, stated ${plan?.prediction.probability?.toPrecision(3)}, simulated ${felt.join(' and ')}`
}

test(
  `${DRAWS} drawn specs (PLANS_SEED=${SEED}): what is shown holds for other traffic, with the probability stated`,
  () => {
    const drawn = fc.sample(specs, { numRuns: DRAWS, seed: SEED })
    const verdicts = drawn.flatMap((wanted, at) => {
      const plans = planServing(builtInCatalog, wanted, 2).plans
      if (plans.length === 0) return []
      const trials = plans.map((plan) => anotherTrial(plan, wanted, 1000 + at))
      const { ttft_s, tpot_s, probability = 0 } = wanted.objectives
      const missed = plans.filter((_, rank) => (trials[rank]?.probability ?? 0) < probability)
      if (missed.length > 0) process.stdout.write(`${missText(wanted, missed[0], trials)}\n`)
      return {
        within: trials.every(({ felt }) => felt.ttft.value <= ttft_s && felt.tpot.value <= tpot_s),
        likely: trials.every((trial) => trial.probability >= probability),
        lowest: Math.min(...trials.map((trial) => trial.probability - probability)),
      }
    })
    const share = (of: 'within' | 'likely'): number => verdicts.filter((each) => each[of]).length / Math.max(1, verdicts.length)
    const lowest = Math.min(...verdicts.map((each) => each.lowest))
    process.stdout.write(
      `${DRAWS} specs, seed ${SEED}: ${verdicts.length} have a plan; within the objectives ${(100 * share('within')).toFixed(1)} %, with the probability stated ${(100 * share('likely')).toFixed(1)} %, the least likely by ${(100 * lowest).toFixed(1)} points\n`,
    )
    expect(share('within')).toBeGreaterThanOrEqual(0.95)
    // Of few, one may miss.
    const allowed = Math.max(0.05 * verdicts.length, DRAWS < 100 ? 1 : 0)
    expect(verdicts.filter(({ likely }) => !likely).length).toBeLessThanOrEqual(allowed)
  },
  120_000 + 20_000 * DRAWS,
)
