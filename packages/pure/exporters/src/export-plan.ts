// Every target a training plan can be written for, by name.

import { planId, type TrainingPlan } from '@ironlaw/contracts'
import { axolotl } from './axolotl.ts'
import { deepspeed } from './deepspeed.ts'
import { type ExportedPlan, warningIf } from './exported.ts'
import { megatron } from './megatron.ts'
import { type LaunchProgram, slurm } from './slurm.ts'
import { torchtitan } from './torchtitan.ts'

type ExportOptions = { readonly program?: LaunchProgram }

export const TARGETS = {
  megatron: { about: 'Megatron-LM: arguments of pretrain_gpt.py as a bash array', extension: 'sh', write: megatron },
  torchtitan: { about: 'torchtitan 0.2: TOML configuration', extension: 'toml', write: torchtitan },
  deepspeed: { about: 'DeepSpeed: JSON configuration', extension: 'json', write: deepspeed },
  axolotl: { about: 'Axolotl: YAML configuration, for adapters and full fine-tuning', extension: 'yaml', write: axolotl },
  slurm: {
    about: 'Slurm: batch script with torchrun, starting one of the programs above',
    extension: 'sh',
    write: (plan: TrainingPlan, { program = 'megatron' }: ExportOptions) => slurm(plan, program),
  },
} as const satisfies Record<
  string,
  { readonly about: string; readonly extension: string; readonly write: (plan: TrainingPlan, options: ExportOptions) => ExportedPlan }
>

export type Target = keyof typeof TARGETS

/**
 * A plan as text for a target, with what the target cannot express. `program` is what a batch script starts. The id written is the
 * one computed from the content, so a script never claims a prediction that was made for another plan.
 */
export function exportPlan(plan: TrainingPlan, target: Target, options: ExportOptions = {}): ExportedPlan {
  const id = planId(plan)
  const { text, warnings, impossible } = TARGETS[target].write({ ...plan, id }, options)
  return {
    text,
    impossible,
    warnings: [...warningIf(id !== plan.id, `the plan was changed after it was named: its content is ${id}`), ...warnings],
  }
}
