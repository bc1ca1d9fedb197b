// The program of a run: what the user starts, with the plan's decisions behind it as arguments, files and environment, so that what was
// priced is what runs.

import { planId, RUN_FILES, type TrainingPlan } from '@ironlaw/contracts'
import { deepspeed } from './deepspeed.ts'
import { type ExportedPlan, warningIf } from './exported.ts'
import type { TrainingFramework } from './fitness.ts'
import { megatron, megatronArguments } from './megatron.ts'
import { microbatchesOf, stepsOf } from './plan-numbers.ts'
import { torchtitan, torchtitanArguments, torchtitanSettings } from './torchtitan.ts'

export type Framework = TrainingFramework | 'sdk'

export type PlannedProgram = {
  readonly argv: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** Kept in the run's directory under their names; `RUN_FILES` in an argument stands for the place. */
  readonly files: Readonly<Record<string, string>>
  /** What the framework does otherwise than was priced. */
  readonly inexact: readonly string[]
  /** Why it cannot run the plan at all. */
  readonly impossible: readonly string[]
  /** Arguments of the user's that the plan decides. */
  readonly repeated: readonly string[]
}

/** What a framework adds to the user's command. */
type Addition = Pick<ExportedPlan, 'warnings' | 'impossible'> & {
  readonly words: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly files: Readonly<Record<string, string>>
}

type ProgramRequest = { readonly framework: Framework; readonly program: readonly string[]; readonly smaller?: readonly number[] }

export function plannedProgram(given: TrainingPlan, { framework, program, smaller = [] }: ProgramRequest): PlannedProgram {
  const plan = { ...given, id: planId(given) }
  const { words, environment, files, warnings, impossible } = ADDITIONS[framework](plan)
  const decided = new Set(words.filter(isFlag).map(flagName))
  return {
    argv: [...program, ...words],
    environment: { ...environment, IRONLAW_PLAN: plan.id, IRONLAW_STRATEGY: JSON.stringify(strategyOf(plan)) },
    files,
    inexact: warnings,
    impossible: [...impossible, ...shrinkProblems(framework, smaller)],
    repeated: program.filter((word) => isFlag(word) && decided.has(flagName(word))),
  }
}

/** What a program reads as `run.plan`: the decision, and the numbers that follow from it. */
function strategyOf(plan: TrainingPlan): object {
  const { id, sequence, globalBatch, decision, method, packed } = plan
  return {
    plan: id,
    ...decision,
    ...(method !== undefined && { method }),
    ...(packed !== undefined && { packed }),
    sequence,
    globalBatch,
    accumulation: microbatchesOf(plan),
    steps: stepsOf(plan),
  }
}

/** Arguments are made once, for all devices; these two frameworks hold the number of ranks against them. */
const shrinkProblems = (framework: Framework, smaller: readonly number[]): readonly string[] =>
  warningIf(
    smaller.length > 0 && (framework === 'torchtitan' || framework === 'deepspeed'),
    `run.smaller: ${framework} gets degrees for all nodes and does not run on fewer; leave it out, or use run.framework: sdk`,
  )

const ADDITIONS: Readonly<Record<Framework, (plan: TrainingPlan) => Addition>> = {
  sdk: () => ({ words: [], files: {}, warnings: [], impossible: [] }),
  'megatron-core': (plan) => {
    const { parts, queues, warnings, impossible } = megatronArguments(plan)
    const flags = parts.flatMap(([, part]) => part)
    return {
      words: flags.flatMap((flag) => flag.map(String)),
      ...(queues !== undefined && { environment: { CUDA_DEVICE_MAX_CONNECTIONS: queues } }),
      files: { 'plan.sh': megatron(plan).text },
      warnings,
      impossible,
    }
  },
  torchtitan: (plan) => {
    const settings = torchtitanSettings(plan)
    return {
      words: torchtitanArguments(settings),
      files: { 'plan.toml': torchtitan(plan).text },
      warnings: settings.warnings,
      impossible: settings.impossible,
    }
  },
  deepspeed: (plan) => {
    const { text, warnings, impossible } = deepspeed(plan)
    return {
      words: ['--deepspeed', '--deepspeed_config', `${RUN_FILES}/plan.json`],
      files: { 'plan.json': text },
      warnings,
      impossible,
    }
  },
}

const isFlag = (word: string): boolean => word.startsWith('--')

/** Both argparse and tyro take hyphens for underscores or the other way round, and a value behind an equals sign. */
const flagName = (word: string): string => (word.split('=')[0] ?? word).replaceAll('-', '_').replace('.no_', '.')
