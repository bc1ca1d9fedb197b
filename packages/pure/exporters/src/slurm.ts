// A batch script for Slurm that starts one torchrun per node. The job's name and comment carry the plan's id, so that a job found in
// the queue leads back to what it was predicted to do. What the plan does not decide is passed on: `sbatch job.sh --lr 3e-4 ...`.

import type { TrainingPlan } from '@ironlaw/contracts'
import { counted } from '@ironlaw/units'
import { deepspeed } from './deepspeed.ts'
import { commentLines, type ExportedPlan, headLines, caveatLines, warningIf } from './exported.ts'
import { megatron } from './megatron.ts'
import { torchtitan } from './torchtitan.ts'

export type LaunchProgram = 'megatron' | 'torchtitan' | 'deepspeed'

/** How a program is prepared on the first node and what torchrun is given. */
type Launch = Pick<ExportedPlan, 'warnings' | 'impossible'> & { readonly setUp: readonly string[]; readonly command: string }

export function slurm(plan: TrainingPlan, program: LaunchProgram): ExportedPlan {
  const { devices, perNode: linked, perHost: perNode = linked } = plan.fleet
  const nodes = Math.ceil(devices / perNode)
  const perTask = Math.min(devices, perNode)
  const launch = LAUNCHES[program](plan)
  const uneven = warningIf(
    devices % perTask !== 0,
    `${counted(devices, 'device')} do not fill ${counted(nodes, 'node')} of ${perNode}: the job would start ${counted(nodes * perTask, 'rank')}`,
  )
  const lines = [
    '#!/bin/bash',
    ...commentLines([...headLines(plan), ...caveatLines({ warnings: uneven })]),
    `#SBATCH --job-name=${jobName(plan)}`,
    `#SBATCH --comment=ironlaw:${plan.id}`,
    `#SBATCH --nodes=${nodes}`,
    '#SBATCH --ntasks-per-node=1',
    `#SBATCH --gpus-per-node=${perTask}`,
    '#SBATCH --exclusive',
    '#SBATCH --output=%x-%j.out',
    '',
    'set -euo pipefail',
    '',
    // `head` would end before its writer, which `pipefail` takes for a failure.
    'MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | sed -n 1p)',
    'MASTER_PORT=$((20000 + SLURM_JOB_ID % 10000))',
    'export MASTER_ADDR MASTER_PORT',
    `export IRONLAW_PLAN=${plan.id}`,
    '',
    ...launch.setUp,
    '',
    'srun torchrun \\',
    `  --nnodes=${nodes} \\`,
    `  --nproc-per-node=${perTask} \\`,
    '  --rdzv-backend=c10d \\',
    '  --rdzv-endpoint="$MASTER_ADDR:$MASTER_PORT" \\',
    '  --rdzv-id="$SLURM_JOB_ID" \\',
    `  ${launch.command} "$@"`,
  ]
  return { text: `${lines.join('\n')}\n`, warnings: [...uneven, ...launch.warnings], impossible: launch.impossible }
}

const LAUNCHES: Readonly<Record<LaunchProgram, (plan: TrainingPlan) => Launch>> = {
  megatron: (plan) => {
    const { text, warnings, impossible } = megatron(plan)
    return {
      setUp: text.trimEnd().split('\n').slice(headLines(plan).length),
      command: '"${MEGATRON_DIR:-.}/pretrain_gpt.py" "${MEGATRON_ARGS[@]}"',
      warnings,
      impossible,
    }
  },
  torchtitan: (plan) => {
    const { text, ...rest } = torchtitan(plan)
    return { setUp: fileLines(`${plan.id}.toml`, text), command: `-m torchtitan.train --job.config_file "$PWD/${plan.id}.toml"`, ...rest }
  },
  deepspeed: (plan) => {
    const { text, ...rest } = deepspeed(plan)
    return {
      setUp: [': "${TRAIN_PROGRAM:?set it to the training program that reads the DeepSpeed file}"', ...fileLines(`${plan.id}.json`, text)],
      command: `"$TRAIN_PROGRAM" --deepspeed --deepspeed_config "$PWD/${plan.id}.json"`,
      ...rest,
    }
  },
}

/** The file in the directory of submission, which all nodes share. Quoting the mark keeps the shell from expanding what is inside. */
const fileLines = (name: string, text: string): readonly string[] => [
  `cat > "$PWD/${name}" <<'END_OF_PLAN'`,
  ...text.trimEnd().split('\n'),
  'END_OF_PLAN',
]

/** Slurm takes any name, but people type it into shells. */
const jobName = ({ name, id }: TrainingPlan): string =>
  [
    ...name
      .toLowerCase()
      .slice(0, 40)
      .matchAll(/[a-z0-9.]+/g),
    id,
  ].join('-')
