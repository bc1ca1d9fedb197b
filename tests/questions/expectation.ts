// What an expert expects of an answer, and where the expectation comes from. An expectation reads one answer and says in a
// few words what it found.

import type { PlannerAnswer, Layout, ServingPlan, TrainingPlan } from './answer.ts'

export type Found = { readonly holds: boolean; readonly found: string }

export type Expectation = {
  readonly expected: string
  readonly check: (answer: PlannerAnswer) => Found
}

const round = (value: number): string => value.toLocaleString('en-US', { maximumSignificantDigits: 3 })
const percent = (share: number): string => `${round(100 * share)} %`

const NO_PLAN: Found = { holds: false, found: 'no plan' }

function ofTraining(read: (plan: TrainingPlan) => Found): Expectation['check'] {
  return ({ training: [plan] }) => (plan === undefined ? NO_PLAN : read(plan))
}

function ofServing(read: (plan: ServingPlan) => Found): Expectation['check'] {
  return ({ serving: [plan] }) => (plan === undefined ? NO_PLAN : read(plan))
}

/** The step's 90 % interval holds a measured step. */
export const stepWithin = (measured_s: number, source: string): Expectation => ({
  expected: `the interval holds the ${round(measured_s)} s measured (${source})`,
  check: ofTraining(({ prediction: { step_s, step_low_s, step_high_s } }) => ({
    holds: step_low_s <= measured_s && measured_s <= step_high_s,
    found: `${round(step_s)} s (${round(step_low_s)} to ${round(step_high_s)})`,
  })),
})

/** The best plan is neither much faster nor much slower than the best that was measured. */
export const rateNear = (tokensPerS: number, source: string): Expectation => ({
  expected: `0.85 to 1.15 of the ${round(tokensPerS)} token/s per device measured (${source})`,
  check: ofTraining(({ prediction: { tokens_per_s_per_device: rate } }) => ({
    holds: rate >= 0.85 * tokensPerS && rate <= 1.15 * tokensPerS,
    found: `${round(rate)} token/s, ${round(rate / tokensPerS)} of it`,
  })),
})

/** The interval of the utilization holds a figure that others report for such a job. */
export const utilizationWithin = (mfu: number, source: string): Expectation => ({
  expected: `the interval holds an MFU of ${percent(mfu)} (${source})`,
  check: ofTraining(({ prediction }) => {
    const low = (prediction.mfu * prediction.step_s) / prediction.step_high_s
    const high = (prediction.mfu * prediction.step_s) / prediction.step_low_s
    return { holds: low <= mfu && mfu <= high, found: `MFU ${percent(prediction.mfu)} (${percent(low)} to ${percent(high)})` }
  }),
})

export const utilizationAtMost = (mfu: number, why: string): Expectation => ({
  expected: `MFU at most ${percent(mfu)} (${why})`,
  check: ofTraining(({ prediction }) => ({ holds: prediction.mfu <= mfu, found: `MFU ${percent(prediction.mfu)}` })),
})

export const layoutIs = (expected: string, fits: (layout: Layout) => boolean): Expectation => ({
  expected,
  check: ofTraining(({ decision }) => ({ holds: fits(decision), found: layoutText(decision) })),
})

function layoutText(layout: Layout): string {
  const degrees = [
    `TP${layout.tensor}`,
    layout.context > 1 ? `CP${layout.context}` : '',
    layout.pipeline > 1 ? `PP${layout.pipeline}` : '',
    layout.expert > 1 ? `EP${layout.expert}` : '',
    `DP${layout.data}`,
  ].filter(Boolean)
  const memory = layout.optimizerOn === 'device' ? '' : `, optimizer on ${layout.optimizerOn}`
  return `${degrees.join(' ')} mb${layout.microbatch}, ${layout.recompute} recomputation, ${layout.shards} sharded${memory}`
}

export const softwareIsNot = (runtime: string): Expectation => ({
  expected: `software other than ${runtime}`,
  check: ofTraining((plan) => ({ holds: plan.runtime.name !== runtime, found: plan.runtime.name })),
})

/** The three best plans use three different families of parallelism where three are worth showing. */
export const differInKind = (): Expectation => ({
  expected: 'plans shown differ in kind, not in a microbatch',
  check: ({ training }) => {
    const kinds = training
      .slice(0, 3)
      .map(({ decision: d }) => `${d.tensor > 1}${d.pipeline > 1}${d.context > 1}${d.expert > 1}${d.shards}${d.recompute}`)
    return {
      holds: kinds.length > 0 && new Set(kinds).size === kinds.length,
      found: `${new Set(kinds).size} kinds in ${kinds.length} plans`,
    }
  },
})

export const leavesMemory = (): Expectation => ({
  expected: 'at most 95 % of the memory of a device, and fits with 95 % or more',
  check: ofTraining(({ prediction: { memory_bytes, memory_limit_bytes, memory_probability } }) => ({
    holds: memory_bytes <= 0.95 * memory_limit_bytes && memory_probability >= 0.95,
    found: `${percent(memory_bytes / memory_limit_bytes)}, fits with ${percent(memory_probability)}`,
  })),
})

/** The answer says something in words. */
export const says = (expected: string, pattern: RegExp): Expectation => ({
  expected,
  check: ({ text }) => {
    const found = pattern.exec(text)?.[0].trim().replaceAll(/\s+/g, ' ')
    return { holds: found !== undefined, found: found === undefined ? 'not said' : `"${found}"` }
  },
})

export const neverSays = (expected: string, pattern: RegExp): Expectation => ({
  expected,
  check: ({ text }) => {
    const found = pattern.exec(text)?.[0]
    return { holds: found === undefined, found: found === undefined ? 'not said' : `"${found}"` }
  },
})

export const refuses = (pattern: RegExp): Expectation => ({
  expected: 'refuses, and says why',
  check: ({ text, training, serving }) => ({
    holds: training.length + serving.length === 0 && pattern.test(text),
    found:
      text
        .split('\n')
        .find((line) => pattern.test(line))
        ?.trim() ?? 'not refused',
  }),
})

export const plans = (expected: string): Expectation => ({
  expected,
  check: ({ training, serving }) => ({
    holds: training.length + serving.length > 0,
    found: training.length + serving.length > 0 ? 'planned' : 'no plan',
  }),
})

/** A simulation of the plan with another seed meets the objectives. */
export const meetsObjectives = (): Expectation => ({
  expected: '90 % of simulated requests in time',
  check: ({ inTime }) => ({
    holds: inTime !== undefined && inTime >= 0.9,
    found: inTime === undefined ? 'not simulated' : percent(inTime),
  }),
})

export const servedBy = (expected: string, fits: (plan: ServingPlan) => boolean): Expectation => ({
  expected,
  check: ofServing((plan) => ({ holds: fits(plan), found: servingText(plan) })),
})

function servingText(plan: ServingPlan): string {
  const pools = plan.pools.map(({ role, replicas, layout }) => {
    const degrees = [
      ['TP', layout.tensor],
      ['PP', layout.pipeline],
      ['DP', layout.data],
      ['EP', layout.expert],
    ] as const
    const shape = degrees.filter(([, degree]) => degree > 1).map(([name, degree]) => `${name}${degree}`)
    return `${replicas} x ${shape.length === 0 ? 'one device' : shape.join(' ')}${role === 'all' ? '' : ` for ${role}`}`
  })
  return `${plan.devices} ${plan.accelerator}: ${pools.join(', ')}`
}
