import { STEP_CAUSES, type StepCause } from '@ironlaw/contracts'
import { builtInCatalog } from '@ironlaw/catalog'
import { builtInModel, importConfig } from '@ironlaw/models'
import type { Known } from '@ironlaw/units'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { explainedMemory } from './explain/explained-memory.ts'
import { explainedStep } from './explain/explained-step.ts'
import { stepInterval } from './time/interval.ts'
import type { TrainingJob } from './job.ts'
import type { MemoryInputs } from './memory/layer-memory.ts'
import type { Machine } from '../machine/machine.ts'
import { illegality } from './search/legality.ts'
import { machineFor } from '../machine/machine-for.ts'
import { memoryAccount, worstMemory } from './memory/memory.ts'
import { planTraining } from './plan-training.ts'
import { POLICIES, type PolicyName } from './memory/precision.ts'
import { profileOf } from './search/profile.ts'
import { type RuntimeName, RUNTIMES } from './time/runtimes.ts'
import { sampleJob } from './sample-job.ts'
import { shortfall } from './memory/shortfall.ts'
import { stepTime } from './time/step-time.ts'
import { devicesOf, PLAIN, type Strategy } from './strategy.ts'

const machineOf = (job: TrainingJob, accelerator = 'h100-sxm'): Machine =>
  machineFor(builtInCatalog, { accelerator, policy: job.policy, runtime: RUNTIMES['megatron-core'] })

const inputsOf = (job: TrainingJob, runtime: RuntimeName = 'megatron-core'): MemoryInputs => ({
  job,
  machine: { runtime: RUNTIMES[runtime] },
})

const MODELS = ['Llama-3.1-8B', 'Llama-3.1-70B', 'Mixtral-8x7B', 'gpt-3-175b', 'DeepSeek-V2-Lite'] as const
const jobs = Object.fromEntries(MODELS.map((model) => [model, sampleJob(model)]))

/** Legal strategies of any size. */
const cases = fc
  .record({
    model: fc.constantFrom(...MODELS),
    tensor: fc.constantFrom(1, 2, 4, 8),
    sequenceParallel: fc.boolean(),
    context: fc.constantFrom(1, 2, 4),
    pipeline: fc.constantFrom(1, 2, 4, 8),
    data: fc.constantFrom(1, 2, 8, 32),
    microbatch: fc.constantFrom(1, 2, 4),
    recompute: fc.constantFrom('none', 'selective', 'full'),
    shards: fc.constantFrom('nothing', 'optimizer', 'gradients', 'weights'),
    expert: fc.constantFrom(1, 2, 4, 8),
  })
  .map(({ model, ...chosen }) => ({ job: jobs[model] as TrainingJob, strategy: { ...PLAIN, ...chosen } as Strategy }))
  .filter(({ job, strategy }) => illegality(job, strategy, { devices: devicesOf(strategy), perNode: 8 }) === undefined)

type Case = { readonly job: TrainingJob; readonly strategy: Strategy }

const total = (machine: Machine, { job, strategy }: Case): number => stepTime({ machine, job }, strategy).total
const allocatedBytes = ({ job, strategy }: Case): number => memoryAccount(inputsOf(job), strategy).worst.allocated
const isLegal = ({ job, strategy }: Case): boolean => illegality(job, strategy, { devices: devicesOf(strategy), perNode: 8 }) === undefined

const holds = (property: (each: Case, machine: Machine) => boolean): void => {
  fc.assert(
    fc.property(cases, (each) => property(each, machineOf(each.job))),
    { numRuns: 150 },
  )
}

/** Sums of the same parts in another order. */
const ROUNDED = 1 + 1e-12

describe('more of a thing never hurts', () => {
  const faster = (change: (machine: Machine) => Machine) => (): void =>
    holds((each, machine) => total(change(machine), each) <= total(machine, each) * (1 + 1e-9))

  test(
    'memory bandwidth',
    faster((machine) => ({ ...machine, engine: { ...machine.engine, bandwidth: 2 * machine.engine.bandwidth } })),
  )
  test(
    'peak rate',
    faster((machine) => ({ ...machine, engine: { ...machine.engine, peak: 2 * machine.engine.peak } })),
  )
  test(
    'link bandwidth',
    faster((machine) => ({ ...machine, fabric: { ...machine.fabric, linkBandwidth: 2 * machine.fabric.linkBandwidth } })),
  )
  test(
    'port bandwidth',
    faster((machine) => ({ ...machine, fabric: { ...machine.fabric, portBandwidth: 2 * machine.fabric.portBandwidth } })),
  )
  test(
    'overlap',
    faster((machine) => ({ ...machine, runtime: { ...machine.runtime, tensorOverlap: 1, gradientOverlap: 1, weightOverlap: 1 } })),
  )
  test(
    'a quicker host',
    faster((machine) => ({ ...machine, runtime: { ...machine.runtime, launchForward_s: 0, launchBackward_s: 0, launchStage_s: 0 } })),
  )
})

describe('causes', () => {
  test('sum to the total, none is negative', () => {
    holds(({ job, strategy }, machine) => {
      const step = stepTime({ machine, job }, strategy)
      return (
        STEP_CAUSES.every((cause) => step.causes[cause] >= 0) &&
        Math.abs(STEP_CAUSES.reduce((sum, cause) => sum + step.causes[cause], 0) / step.total - 1) < 1e-12
      )
    })
  })
  test('without a pipeline there is no bubble and no message', () => {
    holds(({ job, strategy }, machine) => {
      const { causes } = stepTime({ machine, job }, strategy)
      return strategy.pipeline > 1 ? causes.bubble > 0 && causes.send > 0 : causes.bubble < 1e-12 && causes.send === 0
    })
  })
  test('without tensor parallelism nothing is exchanged inside layers, without replicas no gradients', () => {
    holds(({ job, strategy }, machine) => {
      const { causes } = stepTime({ machine, job }, strategy)
      return (strategy.tensor > 1 || causes.tensor === 0) && (strategy.data * strategy.context > 1 || causes.data === 0)
    })
  })
  test('a host that costs nothing never binds', () => {
    holds(({ job, strategy }, machine) => {
      const none = { launchForward_s: 0, launchBackward_s: 0, launchExpertForward_s: 0, launchExpertBackward_s: 0, launchExchange_s: 0 }
      const idle = { ...machine, runtime: { ...machine.runtime, ...none } }
      return stepTime({ machine: idle, job }, strategy).causes.launch < 1e-12
    })
  })
  test('recomputing costs time: none <= selective <= full', () => {
    holds((each, machine) => {
      const at = (recompute: Strategy['recompute']): number => total(machine, { ...each, strategy: { ...each.strategy, recompute } })
      return at('none') <= ROUNDED * at('selective') && at('selective') <= ROUNDED * at('full')
    })
  })
  test('interleaving shrinks the bubble', () => {
    const strategy: Strategy = { ...PLAIN, tensor: 8, sequenceParallel: true, pipeline: 8, data: 8 }
    const job = jobs['Llama-3.1-70B'] as TrainingJob
    const plain = stepTime({ machine: machineOf(job), job }, strategy).causes.bubble
    expect(stepTime({ machine: machineOf(job), job }, { ...strategy, schedule: 'interleaved', virtual: 5 }).causes.bubble).toBeCloseTo(
      plain / 5,
      1,
    )
    expect(stepTime({ machine: machineOf(job), job }, { ...strategy, schedule: 'zero-bubble' }).causes.bubble).toBeLessThan(plain)
  })
  test('doubling the replicas with the batch adds communication only', () => {
    holds((each, machine) => {
      const wider = {
        job: { ...each.job, globalBatch: 2 * each.job.globalBatch },
        strategy: { ...each.strategy, data: 2 * each.strategy.data },
      }
      const [before, after] = [stepTime({ machine, job: each.job }, each.strategy), stepTime({ machine, job: wider.job }, wider.strategy)]
      const filled = Math.max(0, after.causes.bubble - before.causes.bubble)
      return after.total <= before.total + after.causes.data + after.causes.send + after.causes.straggler + filled + 1e-9
    })
  })
  test('longer sequences and deeper models take longer', () => {
    // Where the host binds, as long.
    holds((each, machine) => {
      const longer = { ...each, job: { ...each.job, sequence: 2 * each.job.sequence } }
      return ROUNDED * total(machine, longer) >= total(machine, each)
    })
    const layers = (count: number): TrainingJob => {
      const imported = importConfig({ ...builtInModel('Llama-3.1-8B')?.config, num_hidden_layers: count })
      if (!imported.ok) throw new Error(imported.problem)
      return { ...sampleJob('Llama-3.1-8B'), architecture: imported.architecture }
    }
    expect(total(machineOf(layers(16)), { job: layers(16), strategy: PLAIN })).toBeLessThan(
      total(machineOf(layers(32)), { job: layers(32), strategy: PLAIN }),
    )
  })
  test('8-bit products are faster where the silicon has them', () => {
    const eight = sampleJob('Llama-3.1-70B', { policy: 'fp8' })
    const strategy: Strategy = { ...PLAIN, tensor: 8, sequenceParallel: true, data: 8, shards: 'optimizer' }
    expect(total(machineOf(eight), { job: eight, strategy })).toBeLessThan(
      total(machineOf(sampleJob('Llama-3.1-70B')), { job: sampleJob('Llama-3.1-70B'), strategy }),
    )
  })
})

describe('memory', () => {
  test('sharding more never needs more, but for the layers gathered at work', () => {
    holds((each) => {
      const at = (shards: Strategy['shards']): number => {
        const { worst } = memoryAccount(inputsOf(each.job), { ...each.strategy, shards })
        return worst.allocated - worst.terms.gathered
      }
      return at('optimizer') <= at('nothing') && at('gradients') <= at('optimizer') && at('weights') <= at('gradients')
    })
  })
  test('recomputing never keeps more between passes', () => {
    holds((each) => {
      const at = (recompute: Strategy['recompute']): number =>
        memoryAccount(inputsOf(each.job), { ...each.strategy, recompute }).stages[0]?.terms.activations ?? 0
      return at('selective') <= at('none') && at('full') <= at('selective')
    })
  })
  test('sequence and context parallelism keep fewer activations per device', () => {
    holds((each) => {
      const activations = (part: Partial<Strategy>): number =>
        memoryAccount(inputsOf(each.job), { ...each.strategy, ...part }).stages[0]?.terms.activations ?? 0
      const along = each.strategy.tensor === 1 || activations({ sequenceParallel: true }) <= activations({ sequenceParallel: false })
      return along && activations({ context: 4 }) <= activations({ context: 1 })
    })
  })
  test('activations grow in proportion to the microbatch', () => {
    const job = sampleJob('Llama-3.1-8B')
    const at = (microbatch: number): number => memoryAccount(inputsOf(job), { ...PLAIN, microbatch }).worst.terms.activations
    expect(at(4)).toBeCloseTo(4 * at(1), -3)
  })
  test('the terms sum to what is allocated, and the device is likely to need more', () => {
    holds(({ job, strategy }) =>
      memoryAccount(inputsOf(job), strategy).stages.every(
        ({ terms, allocated: sum, device }) =>
          Math.abs(Object.values(terms).reduce((a, b) => a + b, 0) / sum - 1) < 1e-12 &&
          sum < device.likely &&
          device.low < device.likely &&
          device.likely < device.high,
      ),
    )
  })
  test('the optimizer in host memory frees the device; adapters need a fraction', () => {
    holds((each) => allocatedBytes({ ...each, strategy: { ...each.strategy, optimizerOn: 'host' } }) <= allocatedBytes(each))
    const full = allocatedBytes({ job: sampleJob('Llama-3.1-8B'), strategy: PLAIN })
    const lora = allocatedBytes({ job: sampleJob('Llama-3.1-8B', { policy: 'lora' }), strategy: PLAIN })
    const qlora = allocatedBytes({ job: sampleJob('Llama-3.1-8B', { policy: 'qlora' }), strategy: PLAIN })
    expect(lora).toBeLessThan(full / 3)
    expect(qlora).toBeLessThan(lora)
  })
  test('18 bytes per parameter in Megatron BF16, 6 and a share of 12 with a sharded optimizer', () => {
    const job = sampleJob('Llama-3.1-8B')
    const parameters = 8_030_261_248
    const { terms } = memoryAccount(inputsOf(job), PLAIN).worst
    expect(terms.weights + terms.gradients + terms.optimizer).toBeCloseTo(18 * parameters, -6)
    const sharded = memoryAccount(inputsOf(job), { ...PLAIN, data: 8, shards: 'optimizer' }).worst.terms
    expect(sharded.weights + sharded.gradients + sharded.optimizer).toBeCloseTo((6 + 12 / 8) * parameters, -6)
  })
})

test('the cached evaluation of the search equals the plain one', () => {
  fc.assert(
    fc.property(cases, ({ job, strategy }) => {
      const machine = machineOf(job)
      const profile = profileOf(
        { machine, job },
        {
          ...PLAIN,
          tensor: strategy.tensor,
          sequenceParallel: strategy.sequenceParallel,
          context: strategy.context,
          contextBy: strategy.contextBy,
          expert: strategy.expert,
          microbatch: strategy.microbatch,
        },
      )
      expect(stepTime({ machine, job }, strategy, profile).total).toBe(stepTime({ machine, job }, strategy).total)
      const { likely, spread } = worstMemory(job, strategy, profile.memories)
      const close = { likely: expect.closeTo(likely, 0), spread: expect.closeTo(spread, 0) }
      expect(memoryAccount(inputsOf(job), strategy).worst.device).toMatchObject(close)
    }),
    { numRuns: 10_000 },
  )
}, 120_000)

const anyCase = fc
  .record({
    each: cases,
    optimizerOn: fc.constantFrom('device', 'host', 'nvme'),
    schedule: fc.constantFrom('1f1b', 'zero-bubble', 'dualpipe', 'gpipe'),
    shardGroup: fc.constantFrom(undefined, 2, 8),
    policy: fc.constantFrom<PolicyName>('bf16-mixed', 'fsdp-mixed', 'fp8', 'lora'),
    runtime: fc.constantFrom<RuntimeName>('megatron-core', 'fsdp-eager', 'megatron-deepspeed'),
    critic: fc.boolean(),
  })
  .map(({ each, policy, shardGroup, runtime, critic, ...more }) => ({
    job: { ...each.job, policy: POLICIES[policy], ...(critic && { critic: true as const }) },
    strategy: { ...each.strategy, ...more, ...(shardGroup !== undefined && { shardGroup }) } as Strategy,
    runtime: RUNTIMES[runtime],
  }))
  .filter(isLegal)

test('the derivation of a step adds up to it, cause by cause, down to operators and collectives', () => {
  fc.assert(
    fc.property(anyCase, ({ job, strategy, runtime }) => {
      const setup = { machine: machineFor(builtInCatalog, { accelerator: 'h100-sxm', policy: job.policy, runtime }), job }
      const step = stepTime(setup, strategy)
      const { by, value } = explainedStep(setup, strategy, step)
      expect(value / step.total).toBeCloseTo(1, 12)
      const causes = by.kind === 'law' ? Object.entries(by.from) : []
      expect(causes.map(([cause]) => cause)).toEqual(STEP_CAUSES.filter((cause) => step.causes[cause] > 0))
      for (const [cause, known] of causes) {
        const { value: made, by: parts } = known as Known<'s'>
        expect(made / step.causes[cause as StepCause]).toBeCloseTo(1, 9)
        expect(Object.values(parts.kind === 'law' ? parts.from : {}).reduce((sum, part) => sum + (part as Known<'s'>).value, 0)).toBe(made)
      }
    }),
    { numRuns: 400 },
  )
})

test('the derivation of memory adds up to the account, term by term', () => {
  fc.assert(
    fc.property(anyCase, ({ job, strategy, runtime }) => {
      const { worst } = memoryAccount({ job, machine: { runtime } }, strategy)
      const { by, value } = explainedMemory({ job, machine: { runtime } }, strategy)
      expect(value / worst.device.likely).toBeCloseTo(1, 12)
      const { allocated: sum } = (by.kind === 'law' ? by.from : {}) as Readonly<Record<string, Known<'B'>>>
      const terms = (sum?.by.kind === 'law' ? sum.by.from : {}) as Readonly<Record<string, Known<'B'>>>
      for (const [term, bytes] of Object.entries(worst.terms)) {
        if (bytes === 0) expect(terms[term]).toBeUndefined()
        else expect((terms[term]?.value ?? 0) / bytes).toBeCloseTo(1, 9)
      }
    }),
    { numRuns: 400 },
  )
})

describe('what is refused, and why', () => {
  const job = sampleJob('Llama-3.1-70B')
  test.each([
    [{ tensor: 16, data: 4 }, 'tensor 16 leaves the node of 8 devices'],
    [{ tensor: 3, data: 1 }, 'tensor 3 does not divide the 64 attention heads'],
    [{ pipeline: 128, data: 1 }, 'pipeline 128 needs more than the 80 layers the model has'],
    [{ data: 7 }, 'data 7 x microbatch 1 does not divide the global batch of 512 sequences'],
    [{ expert: 8, data: 8 }, 'the model has no experts'],
    [{ sequenceParallel: true }, 'sequence parallelism needs more than one tensor-parallel rank'],
    [{ virtual: 5, schedule: 'interleaved', pipeline: 8, data: 64, microbatch: 4 }, '2 microbatches are not a multiple of pipeline 8'],
    [{ pipeline: 16, virtual: 7, schedule: 'interleaved' }, 'needs more than the 80 layers'],
    [{ data: 8, shards: 'weights', shardGroup: 3 }, 'a shard group of 3 does not divide the 8 replicas'],
    [{ data: 8, shardGroup: 8 }, 'a shard group of 8 divides nothing'],
    [{ pipeline: 5, schedule: 'dualpipe' }, 'pipeline 5 must be even'],
    [{ pipeline: 8, data: 64, schedule: 'dualpipe' }, '8 microbatches even and at least 16'],
  ] as const)('%j', (part, reason) => {
    const strategy = { ...PLAIN, ...part } as Strategy
    expect(illegality(job, strategy, { devices: devicesOf(strategy), perNode: 8 })).toContain(reason)
  })

  test('too few devices for the product', () => {
    expect(illegality(job, { ...PLAIN, data: 8 }, { devices: 16, perNode: 8 })).toBe(
      'tensor 1 x context 1 x pipeline 1 x data 8 is 8 devices, not 16',
    )
  })

  const room = { fleet: { devices: 8, perNode: 8 }, limit: 85e9, probability: 0.95 }
  test('ZeRO-3 out of memory names what dominates and what would help', () => {
    const strategy: Strategy = { ...PLAIN, data: 8, shards: 'weights', microbatch: 4 }
    const short = shortfall(inputsOf(job), strategy, { ...room, limit: 80e9 })
    expect(short).toMatchObject({ stage: 0, limit_bytes: 80e9, probability: expect.closeTo(0, 3) })
    expect(short?.need_bytes).toBeGreaterThan(80e9)
    expect(['activations', 'optimizer']).toContain(short?.dominant)
  })

  test('a small shortfall is closed by one change, and what fits has none', () => {
    const small = sampleJob('Llama-3.1-8B', { sequence: 8192 })
    const strategy: Strategy = { ...PLAIN, data: 8, shards: 'optimizer' }
    const short = shortfall(inputsOf(small), strategy, room)
    expect(short?.remedies.map(({ change }) => change)).toContain('recompute every layer')
    for (const remedy of short?.remedies ?? [])
      expect([isLegal({ job: small, strategy: remedy.strategy }), remedy.probability >= 0.95]).toEqual([true, true])
    expect(shortfall(inputsOf(small), { ...strategy, shards: 'weights', recompute: 'full' }, room)).toBeUndefined()
  })
})

test('the interval holds the prediction, and a borrowed curve widens it', () => {
  holds(({ job, strategy }, machine) => {
    const step = stepTime({ machine, job }, strategy)
    const { low, high } = stepInterval({ machine, job }, strategy, step)
    const borrowed = stepInterval({ machine: { ...machine, silicon: { ...machine.silicon, borrowed: true } }, job }, strategy, step)
    return low < step.total && step.total < high && borrowed.high > high
  })
})

test('plans are legal, fit, come fastest first, and are named by their content', () => {
  const job = sampleJob('Llama-3.1-70B', { sequence: 8192, globalBatch: 1024 })
  const fleet = { devices: 512, perNode: 8 }
  const { plans, found, limit_bytes } = planTraining(builtInCatalog, machineOf(job), {
    name: 'test',
    model: 'Llama-3.1-70B',
    job,
    tokens: 1e12,
    accelerator: 'h100-sxm',
    fleet,
    keep: 10,
    region: 'france',
  })
  expect(plans).toHaveLength(10)
  expect(found.fitting).toBeLessThan(found.tried)
  for (const { candidate, plan } of plans) {
    expect(illegality(job, candidate.strategy, fleet)).toBeUndefined()
    expect(candidate.memory_bytes).toBeLessThanOrEqual(limit_bytes)
    expect(plan.prediction.memory_probability).toBeGreaterThanOrEqual(0.95)
    expect(plan.id).toMatch(/^plan-[0-9a-f]{12}$/)
    expect(plan.prediction.mfu).toBeGreaterThan(0.2)
    expect(plan.prediction.mfu).toBeLessThan(0.7)
    expect(plan.prediction.hfu).toBeGreaterThanOrEqual(plan.prediction.mfu)
    expect(plan.prediction.carbon_g).toBeGreaterThan(0)
  }
  const steps = plans.map(({ plan }) => plan.prediction.step_s)
  expect(steps.every((step, index) => index === 0 || step >= (steps[index - 1] ?? 0))).toBe(true)
  expect(new Set(plans.map(({ plan }) => plan.id)).size).toBe(10)
})
