// Whether a framework can run a plan at all, and whether the plan was priced for it.

import type { TrainingPlan } from '@ironlaw/contracts'
import { warningIf } from './exported.ts'

export type TrainingFramework = 'megatron-core' | 'torchtitan' | 'deepspeed'

/** What a plan can be written for. */
type ExportFramework = TrainingFramework | 'axolotl'

const NAMES: Readonly<Record<ExportFramework, string>> = {
  'megatron-core': 'Megatron-LM',
  torchtitan: 'torchtitan',
  deepspeed: 'DeepSpeed',
  axolotl: 'Axolotl',
}

/** Runtimes of the planner whose figures were measured with the framework. */
const PRICED_AS: Readonly<Record<ExportFramework, RegExp>> = {
  'megatron-core': /^(?:megatron-core|megatron-core-plain|megatron-core-graphs|megatron-2022|mlperf)$/,
  torchtitan: /^fsdp-/,
  deepspeed: /^megatron-deepspeed|^fsdp-eager$/,
  axolotl: /^fsdp-/,
}

/** Accelerators that no release of the three frameworks drives, by their ids in the catalog. */
const OTHER_SOFTWARE: readonly (readonly [RegExp, string])[] = [
  [/^tpu-/, 'TPUs are programmed through XLA (MaxText, torch_xla)'],
  [/^(?:trainium|inferentia)-/, 'Neuron devices are programmed through NeuronX Distributed'],
  [/^(?:coral|stm32)/, 'it trains nothing'],
]

/** Gaudi is driven by DeepSpeed alone. */
const HABANA = /^gaudi-/

export function deviceProblems({ fleet }: TrainingPlan, framework: ExportFramework): readonly string[] {
  const other = OTHER_SOFTWARE.find(([ids]) => ids.test(fleet.accelerator))
  return [
    ...(other ? [`${NAMES[framework]} does not run on ${fleet.accelerator}: ${other[1]}`] : []),
    ...warningIf(
      HABANA.test(fleet.accelerator) && framework !== 'deepspeed',
      `${NAMES[framework]} does not run on ${fleet.accelerator}: use deepspeed there`,
    ),
  ]
}

export const runtimeWarnings = ({ runtime }: TrainingPlan, framework: ExportFramework): readonly string[] =>
  warningIf(
    runtime !== undefined && !PRICED_AS[framework].test(runtime.name),
    `priced with the overheads of ${runtime?.name ?? 'another runtime'}, which are not those of ${NAMES[framework]}: set "runtime" to one of its own`,
  )

/** Preferences need a program that computes their loss and runs a reference model. */
export const methodProblems = ({ method }: TrainingPlan, framework: TrainingFramework): readonly string[] =>
  warningIf(
    method === 'dpo',
    `method dpo: ${NAMES[framework]} would train on the next token, without a reference model; export to axolotl, or use run.framework: sdk with a program that runs DPO`,
  )

/** Adapters need a program that freezes the weights. */
export const adapterProblems = ({ decision: { precision } }: TrainingPlan, framework: TrainingFramework): readonly string[] =>
  warningIf(
    precision === 'lora' || precision === 'qlora',
    `precision ${precision}: ${NAMES[framework]} would train all weights, for which the plan has no memory; export to axolotl, or use run.framework: sdk with a program that trains adapters`,
  )
