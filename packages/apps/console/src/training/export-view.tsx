import type { TrainingPlan } from '@ironlaw/contracts'
import { exportPlan, type Target, TARGETS } from '@ironlaw/exporters'
import { memo, type ReactNode } from 'react'
import { ExportCard } from '../ui/export-card.tsx'

const NAMES: Readonly<Record<Target, string>> = {
  megatron: 'Megatron-LM',
  torchtitan: 'torchtitan',
  deepspeed: 'DeepSpeed',
  axolotl: 'Axolotl',
  slurm: 'sbatch',
}
const TARGET_NAMES = Object.keys(NAMES) as readonly Target[]

export type ExportViewProps = { readonly plan: TrainingPlan; readonly target: string; readonly onTarget: (target: string) => void }

export const ExportView = memo(({ plan, target, onTarget }: ExportViewProps): ReactNode => {
  const targets = TARGET_NAMES.map((id) => ({ id, name: NAMES[id], about: TARGETS[id].about, write: () => exportPlan(plan, id) }))
  return <ExportCard plan={plan} targets={targets} open={target} onOpen={onTarget} />
})
