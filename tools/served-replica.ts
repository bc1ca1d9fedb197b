// A replica in 16 bits under vLLM as the planner sees it, for the simulator: what its steps cost and how many blocks its cache has.

import { builtInCatalog } from '@ironlaw/catalog'
import { builtInModel, importConfig } from '@ironlaw/models'
import { compiledStep, ENGINE_RUNTIMES, type Layout, SERVING_PRECISIONS, servingMachine, servingMemory, SINGLE } from '@ironlaw/planner'
import { type ReplicaRule, VLLM_RULE } from '@ironlaw/simulator/serving'

export type ServedMachine = { readonly model: string; readonly on: string; readonly layout?: Layout }

export function servedReplica({ model, on, layout = SINGLE }: ServedMachine): ReplicaRule {
  const imported = importConfig(builtInModel(model)?.config)
  if (!imported.ok) throw new Error(imported.problem)
  const machine = servingMachine(builtInCatalog, { accelerator: on })
  const { bf16: precision } = SERVING_PRECISIONS
  const replica = { architecture: imported.architecture, machine, precision, cache: 'bf16', runtime: ENGINE_RUNTIMES.vllm, layout } as const
  const cost = compiledStep(replica).time
  return { ...VLLM_RULE, cost, blocks: Math.floor(servingMemory(replica).tokens / VLLM_RULE.blockTokens) }
}
