// Replicas of measured deployments, each compiled once however many rows it has.

import type { Catalog } from '@ironlaw/catalog'
import { type Architecture, builtInModel, importConfig } from '@ironlaw/models'
import { preparedReplica, type PreparedReplica } from '../serving/prepared-replica.ts'
import { type ReplicaDesign, servingMachine, type ServingMachine } from '../serving/replica-design.ts'

/** A rack joins 72 devices; jobs fill 64 of them. */
const RACK = 64
const NODE = 8

/** MiniMax M2's published config.json, whose layers M2.5 is taken to share; written in the fields of a family with the same operators. */
const MINIMAX_M2_5 = {
  model_type: 'qwen3_moe',
  hidden_size: 3072,
  num_hidden_layers: 62,
  num_attention_heads: 48,
  num_key_value_heads: 8,
  head_dim: 128,
  num_experts: 256,
  num_experts_per_tok: 8,
  moe_intermediate_size: 1536,
  intermediate_size: 1536,
  vocab_size: 200_064,
  max_position_embeddings: 196_608,
  tie_word_embeddings: false,
  decoder_sparse_step: 1,
  mlp_only_layers: [],
}

/**
 * GLM-5's published config.json in the fields of a family with the same operators. Its attention reads the 2,048 keys that an indexer picks;
 * here it reads all of them, up to 9,000 in the measured runs.
 */
const GLM_5 = {
  model_type: 'deepseek_v3',
  hidden_size: 6144,
  intermediate_size: 12_288,
  moe_intermediate_size: 2048,
  num_hidden_layers: 78,
  first_k_dense_replace: 3,
  moe_layer_freq: 1,
  num_attention_heads: 64,
  num_key_value_heads: 64,
  q_lora_rank: 2048,
  kv_lora_rank: 512,
  qk_nope_head_dim: 192,
  qk_rope_head_dim: 64,
  v_head_dim: 256,
  n_routed_experts: 256,
  n_shared_experts: 1,
  num_experts_per_tok: 8,
  n_group: 1,
  topk_group: 1,
  vocab_size: 154_880,
  max_position_embeddings: 202_752,
  tie_word_embeddings: false,
}

const OTHERS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = { 'MiniMax-M2.5': MINIMAX_M2_5, 'GLM-5': GLM_5 }

/** Thousands of rows name a dozen models. */
const IMPORTED = new Map<string, Architecture>()

/** Undefined when nothing is known of the model. */
export function architectureNamed(name: string): Architecture | undefined {
  const known = IMPORTED.get(name)
  if (known) return known
  const config = OTHERS[name] ?? builtInModel(name)?.config
  if (!config) return undefined
  const imported = importConfig(config)
  if (!imported.ok) return undefined
  IMPORTED.set(name, imported.architecture)
  return imported.architecture
}

export type Machines = (accelerator: string) => ServingMachine

export function machinesOf(catalog: Catalog): Machines {
  const made = new Map<string, ServingMachine>()
  return (accelerator) => {
    const known = made.get(accelerator)
    if (known) return known
    const machine = servingMachine(catalog, { accelerator, perNode: accelerator.startsWith('gb') ? RACK : NODE })
    made.set(accelerator, machine)
    return machine
  }
}

export function replicaPreparer(): (model: string, replica: ReplicaDesign) => PreparedReplica {
  const made = new Map<string, PreparedReplica>()
  return (model, replica) => {
    const { machine, precision, cache, runtime, layout, speculation } = replica
    const { accelerator, fabric } = machine
    const key = JSON.stringify([model, accelerator, fabric.linkBandwidth, precision.name, cache, runtime.name, layout, speculation])
    const known = made.get(key)
    if (known) return known
    const ready = preparedReplica(replica)
    made.set(key, ready)
    return ready
  }
}
