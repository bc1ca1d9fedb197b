// Replicas for the tests of this folder.

import { builtInCatalog } from '@ironlaw/catalog'
import { builtInModel, importConfig } from '@ironlaw/models'
import { ENGINE_RUNTIMES, type EngineName } from './engine-runtime.ts'
import { type Layout, SINGLE } from './layout.ts'
import { SERVING_PRECISIONS, type ServingPrecisionName } from './precision.ts'
import { type ReplicaDesign, servingMachine } from './replica-design.ts'

type ReplicaChoice = {
  readonly model?: string
  readonly accelerator?: string
  readonly precision?: ServingPrecisionName
  readonly engine?: EngineName
  readonly layout?: Partial<Layout>
}

export function replicaOf({
  model = 'Llama-3.1-8B',
  accelerator = 'h100-sxm',
  precision = 'bf16',
  engine = 'vllm',
  layout = {},
}: ReplicaChoice = {}): ReplicaDesign {
  const imported = importConfig(builtInModel(model)?.config)
  if (!imported.ok) throw new Error(imported.problem)
  return {
    architecture: imported.architecture,
    machine: servingMachine(builtInCatalog, { accelerator }),
    precision: SERVING_PRECISIONS[precision],
    cache: 'bf16',
    runtime: ENGINE_RUNTIMES[engine],
    layout: { ...SINGLE, ...layout },
  }
}
