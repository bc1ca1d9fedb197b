// Our searches, timed: as a user's plan asks for them, and over a space made as large as a peer's.

import { builtInCatalog } from '@ironlaw/catalog'
import { builtInModel, importConfig } from '@ironlaw/models'
import {
  machineFor,
  planTraining,
  POLICIES,
  type Runtime,
  RUNTIMES,
  search,
  type SearchSpace,
  type TrainingJob,
  WHOLE_SPACE,
} from '@ironlaw/planner'

export type TimedSearch = { readonly configurations: number; readonly cpu_s: number; readonly optimum: string }

type Problem = {
  readonly model: string
  readonly devices: number
  readonly batch: number
  readonly sequence: number
  readonly on: string
}

const policy = POLICIES['bf16-mixed']

function jobOf({ model, batch, sequence }: Problem): TrainingJob {
  const imported = importConfig(builtInModel(model)?.config)
  if (!imported.ok) throw new Error(imported.problem)
  return {
    architecture: imported.architecture,
    sequence,
    globalBatch: batch,
    policy,
    attention: 'flash',
    dropout: false,
    loss: 'fused',
    dummyGradients: false,
  }
}

function timeWork<T>(work: () => T): readonly [number, T] {
  const before = process.cpuUsage()
  const result = work()
  const { user, system } = process.cpuUsage(before)
  return [(user + system) / 1e6, result]
}

/** The whole of a plan, from a cold start: rounder counts of devices are searched in addition to the given one. */
export function timePlanner(problem: Problem): TimedSearch {
  const { model, devices, batch, on } = problem
  let configurations = 0
  const [cpu_s, { plans, fleet }] = timeWork(() =>
    planTraining(builtInCatalog, machineFor(builtInCatalog, { accelerator: on, policy, runtime: RUNTIMES['megatron-core'] }), {
      name: model,
      model,
      job: jobOf(problem),
      tokens: 1e12,
      accelerator: on,
      fleet: { devices, perNode: 8 },
      keep: 1,
      progress: (tried) => (configurations += tried),
    }),
  )
  const best = plans[0]
  return {
    configurations,
    cpu_s,
    optimum: best ? `best ${(batch / best.step.total).toFixed(1)} sequences a second on ${fleet.devices}` : 'nothing fits',
  }
}

/** What software does or does not, the best first: with it, no layout is slower. */
const OPTIONS: readonly (readonly Partial<Runtime>[])[] = [
  [{ tensorOverlap: 1 }, { tensorOverlap: 0.5 }, { tensorOverlap: 0 }],
  [{ gradientOverlap: 0.9 }, { gradientOverlap: 0 }],
  [{ weightOverlap: 0.9 }, { weightOverlap: 0 }],
  [{ sendOverlap: 1 }, { sendOverlap: 0 }],
  [{ vectorPasses: 1 }, { vectorPasses: 2 }],
  [{ attentionKernel: 'vendor' }, { attentionKernel: 'flash-2' }],
  [{ launchStage_s: 0 }, { launchStage_s: 0.1e-3 }],
  [{ gathersPerLayer: 1 }, { gathersPerLayer: 12 }],
]

const runtimes = (options: typeof OPTIONS): readonly Runtime[] =>
  options.reduce<readonly Runtime[]>(
    (made, pair) => pair.flatMap((option) => made.map((runtime) => ({ ...runtime, ...option }))),
    [RUNTIMES['megatron-core']],
  )

const DENSE: SearchSpace = {
  ...WHOLE_SPACE,
  shards: ['optimizer', 'gradients', 'weights', 'nothing'],
  virtual: [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 96],
  microbatchMost: 512,
}

/** Where the optimizer lies, and what is divided among a group of replicas rather than among all. */
const FIXED: readonly SearchSpace['fixed'][] = (['device', 'host', 'nvme'] as const).flatMap((optimizerOn) => [
  { optimizerOn },
  ...[8, 16, 32, 64].flatMap((shardGroup) =>
    (['optimizer', 'gradients', 'weights'] as const).map((shards) => ({ optimizerOn, shardGroup, shards })),
  ),
])

const PROBLEM: Problem = { model: 'gpt-3-175b', devices: 512, batch: 512, sequence: 2048, on: 'a100-80gb-sxm' }

/** Every configuration, until there are enough of them. */
export function timeEnumeration(most: number): TimedSearch {
  let configurations = 0
  let fastest = Infinity
  const [cpu_s] = timeWork(() => {
    for (const runtime of runtimes(OPTIONS)) {
      if (configurations >= most) return
      const walked = layouts(runtime)
      configurations += walked.tried
      fastest = Math.min(fastest, walked.fastest)
    }
  })
  return { configurations, cpu_s, optimum: bestOf(fastest) }
}

/** The whole space by its layouts under the best software options: all other options can only be slower. */
export function timeFixedOptions(): TimedSearch {
  const options = runtimes(OPTIONS)
  const [cpu_s, { tried, fastest }] = timeWork(() => layouts(options[0] ?? RUNTIMES['megatron-core']))
  const whole = (tried * options.length).toLocaleString('en')
  return { configurations: tried, cpu_s, optimum: `${bestOf(fastest)}, of ${whole} configurations in all` }
}

const bestOf = (step_s: number): string => `best ${(PROBLEM.batch / step_s).toFixed(1)} sequences a second`

function layouts(runtime: Runtime): { readonly tried: number; readonly fastest: number } {
  const job = jobOf(PROBLEM)
  const machine = machineFor(builtInCatalog, { accelerator: PROBLEM.on, policy, runtime })
  const fleet = { devices: PROBLEM.devices, perNode: 8 }
  const limits = { memory_bytes: 80e9, keep: 1 }
  const found = FIXED.map((fixed) => search({ machine, job }, { fleet, limits, space: { ...DENSE, fixed } }))
  return {
    tried: found.reduce((sum, { tried }) => sum + tried, 0),
    fastest: Math.min(...found.map(({ best }) => best[0]?.step_s ?? Infinity)),
  }
}
