// Replicas of measured deployments, each compiled once however many rows it has.

import type { Catalog } from '@ironlaw/catalog'
import { type Architecture, builtInModel, importConfig } from '@ironlaw/models'
import { prepared, type Prepared } from '../serving/prepared.ts'
import { type Replica, servingMachine, type ServingMachine } from '../serving/replica.ts'

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

const OTHERS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = { 'MiniMax-M2.5': MINIMAX_M2_5 }

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

export function preparing(): (model: string, replica: Replica) => Prepared {
  const made = new Map<string, Prepared>()
  return (model, replica) => {
    const { machine, precision, cache, runtime, layout } = replica
    const key = JSON.stringify([model, machine.accelerator, machine.fabric.linkBandwidth, precision.name, cache, runtime.name, layout])
    const known = made.get(key)
    if (known) return known
    const ready = prepared(replica)
    made.set(key, ready)
    return ready
  }
}
