// The quick answer: search, the plan that is looked at in full, and why others were refused.

import { STEP_CAUSE, STEP_CAUSES } from '@ironlaw/contracts'
import { accelerator as acceleratorOf, type Catalog, peak } from '@ironlaw/catalog'
import { explain } from '@ironlaw/laws'
import { mfu } from '@ironlaw/laws/compute/efficiency'
import {
  type Candidate,
  chosenFor,
  economicsOf,
  explainedMemory,
  explainedStep,
  memoryAccount,
  paretoFront,
  type PlannedTraining,
  type Planning,
  planTraining,
  sensitivities,
  shortfall,
  stepFlops,
  stepTime,
} from '@ironlaw/planner'
import { bytes, given, type Known, show, sourced } from '@ironlaw/units'
import { planned } from '../planned.ts'
import type { Details, PlanAnswer, Rejected, StageBytes } from './answer.ts'
import { rooflinePicture } from './operator-points.ts'
import type { TrainingQuestion } from './question.ts'
import { strategyText } from '@ironlaw/planner'
import { type Training, trainingOf } from './training-of.ts'

/** As many as a person compares. */
const KEPT = 12

export function planAnswer(catalog: Catalog, question: TrainingQuestion): PlanAnswer {
  const training = withGoal(catalog, trainingOf(catalog, question), question)
  const planning = planTraining(catalog, training.machine, { ...training.wanted, keep: KEPT })
  const looked = planning.plans[Math.min(question.rank, planning.plans.length - 1)]
  return {
    warnings: training.warnings,
    tried: planning.found.tried,
    fitting: planning.found.fitting,
    devices: planning.fleet.devices,
    limit_bytes: planning.limit_bytes,
    tight: planning.tight,
    plans: planning.plans.map(({ plan }) => plan),
    rejected: planning.found.tooLarge.map((candidate) => rejected(training, planning, candidate)),
    ...(looked ? { details: details(catalog, training, looked) } : { nothing: nothing(catalog, training, planning) }),
  }
}

/** Money and energy may want fewer devices than there are. */
function withGoal(catalog: Catalog, training: Training, { goal }: TrainingQuestion): Training {
  if (goal === 'time') return training
  const chosen = chosenFor(paretoFront(catalog, training.machine, training.wanted), goal, {})
  const { wanted } = training
  return chosen ? { ...training, wanted: { ...wanted, fleet: { ...wanted.fleet, devices: chosen.plan.fleet.devices } } } : training
}

function details(catalog: Catalog, { machine, wanted }: Training, { plan, candidate, step }: PlannedTraining): Details {
  const { strategy } = candidate
  const setup = { machine, job: wanted.job }
  return {
    plan,
    causes: step.causes,
    hidden: hiddenTime(setup, strategy, step.causes),
    stages: stagesOf(setup, strategy),
    sensitivities: sensitivities(machine, wanted.job, strategy),
    roofline: rooflinePicture(catalog, wanted, strategy),
    derivations: derivations(catalog, { machine, wanted, warnings: [] }, { plan, candidate, step }),
  }
}

type Setup = Parameters<typeof stepTime>[0]

const stagesOf = (setup: Setup, strategy: Candidate['strategy']): readonly StageBytes[] =>
  memoryAccount(setup, strategy).stages.map(({ stage, terms, device: { low, likely, high } }) => ({ stage, terms, low, likely, high }))

/** The step once more with nothing overlapped: what each exchange then takes longer is what overlap hides. */
function hiddenTime(setup: Setup, strategy: Candidate['strategy'], exposed: Details['causes']): Details['hidden'] {
  const runtime = { ...setup.machine.runtime, tensorOverlap: 0, gradientOverlap: 0, weightOverlap: 0, sendOverlap: 0 }
  const { causes } = stepTime({ ...setup, machine: { ...setup.machine, runtime } }, strategy)
  const hidden = { ...causes }
  for (const cause of STEP_CAUSES) hidden[cause] = STEP_CAUSE[cause].nature === 'exchange' ? Math.max(0, causes[cause] - exposed[cause]) : 0
  return hidden
}

type Looked = Pick<PlannedTraining, 'plan' | 'candidate' | 'step'>

function derivations(catalog: Catalog, { machine, wanted }: Training, { plan, candidate, step }: Looked): Readonly<Record<string, Known>> {
  const setup = { machine, job: wanted.job }
  const stepKnown = explainedStep(setup, candidate.strategy, step)
  const duration = durationOf(plan.prediction.duration_s, wanted, stepKnown)
  const economics = economicsOf(catalog, {
    accelerator: wanted.accelerator,
    devices: wanted.fleet.devices,
    duration,
    ...(wanted.region !== undefined && { region: wanted.region }),
  })
  const device = acceleratorOf(catalog, wanted.accelerator)
  const peakFlops = peak(device, wanted.job.policy.compute) ?? peak(device, 'bf16') ?? peak(device, 'fp16')
  const flops = sourced(stepFlops(wanted.job, candidate.strategy).model, 'FLOP', {
    ref: "counted from the model's operators: forward and backward, nothing recomputed",
    asOf: 'one step',
  })
  const causes = stepKnown.by.kind === 'law' ? stepKnown.by.from : {}
  return {
    time: duration,
    step: stepKnown,
    memory: explainedMemory(setup, candidate.strategy),
    energy: economics.energy,
    ...(economics.cost && { cost: economics.cost }),
    ...(economics.carbon && { carbon: economics.carbon }),
    ...(economics.embodied && { embodied: economics.embodied }),
    ...(peakFlops && { mfu: explain(mfu, { flops, devices: given(plan.fleet.devices, '1'), peakFlops, stepTime: stepKnown }) }),
    ...Object.fromEntries(Object.entries(causes).flatMap(([cause, known]) => (isOne(known) ? [[cause, known]] : []))),
  }
}

const isOne = (known: Known | readonly Known[]): known is Known => !Array.isArray(known)

const durationOf = (value: number, { tokens, job }: Training['wanted'], step: Known<'s'>): Known<'s'> =>
  planned(
    { value, unit: 's', output: 'duration', is: 'tokens / (batch * sequence) * step' },
    { tokens: given(tokens, 'token'), batch: given(job.globalBatch, '1'), sequence: given(job.sequence, 'token'), step },
  )

function rejected(
  { wanted, machine }: Training,
  { fleet, limit_bytes: limit }: Planning,
  { strategy, step_s, memory_bytes }: Candidate,
): Rejected {
  const short = shortfall({ job: wanted.job, machine }, strategy, { fleet, limit })
  return {
    strategy,
    step_s,
    reason: `needs ${show(bytes(memory_bytes), 'B')} of ${show(bytes(limit), 'B')}, mostly ${short?.dominant ?? 'states'}`,
    remedy: short?.remedies[0]?.change ?? '',
  }
}

/** Doublings of the fleet that are tried to see whether anything would fit. */
const DOUBLINGS = [2, 4, 8, 16, 32]

function nothing(catalog: Catalog, training: Training, planning: Planning): NonNullable<PlanAnswer['nothing']> {
  const { wanted, machine } = training
  const { smallest } = planning.found
  if (!smallest)
    return {
      why: `No strategy divides ${wanted.job.globalBatch.toLocaleString('en')} sequences over ${wanted.fleet.devices.toLocaleString('en')} devices.`,
      change: 'Take a batch that is a multiple of the number of devices, or fewer devices.',
      stages: [],
    }
  const limit = planning.limit_bytes
  const short = shortfall({ job: wanted.job, machine }, smallest.strategy, { fleet: planning.fleet, limit })
  const remedy = short?.remedies[0]?.change
  const devices = remedy === undefined ? enoughDevices(catalog, training) : undefined
  const change = remedy ?? (devices === undefined ? LESS : `use ${devices.toLocaleString('en')} devices`)
  return {
    why: `The smallest strategy, ${strategyText(smallest.strategy)}, needs ${show(bytes(smallest.memory_bytes), 'B')} of ${show(bytes(limit), 'B')} per device, mostly ${short?.dominant ?? 'states'}.`,
    change: `${change.charAt(0).toUpperCase()}${change.slice(1)}`,
    stages: stagesOf({ machine, job: wanted.job }, smallest.strategy),
    ...(devices !== undefined && { devices }),
  }
}

const LESS = 'take accelerators with more memory, a smaller model or shorter sequences'

function enoughDevices(catalog: Catalog, { machine, wanted }: Training): number | undefined {
  return DOUBLINGS.map((factor) => factor * wanted.fleet.devices).find((devices) => {
    const fleet = { devices, perNode: Math.min(machine.fabric.perNode, devices) }
    return planTraining(catalog, machine, { ...wanted, fleet, keep: 1 }).plans.length > 0
  })
}
