// What `selective` recomputation drops and computes again, module by module, as Megatron-Core names them (`recompute_modules` of
// transformer_config.py). The attention core alone is Megatron's default since 2022, and saves nothing where attention is fused.

import type { RecomputeModule } from '@ironlaw/contracts'
import type { LocalOperator } from '../time/local-operators.ts'

type Module = {
  /** Operators that run again before the backward pass. */
  readonly again: RegExp
  /** Operators that keep nothing for it in between; `core` keeps its output and drops what the projections made. */
  readonly drops: RegExp
}

/** The input of a module stays: what a norm made for the products after it, or for the whole module. */
const MODULES: Readonly<Record<Exclude<RecomputeModule, 'core_attn'>, Module>> = {
  layernorm: { again: /(^|\.)(input|mlp)_norm$/, drops: /attention\.(qkv|q_a)$|mlp\.up$|moe\.router$/ },
  mla_up_proj: { again: /attention\.(q_a_norm|q_b|kv_a_norm|kv_b|rotary)$/, drops: /attention\.core$/ },
  moe_act: { again: /moe\.experts\.act$/, drops: /moe\.experts\.down$/ },
  mlp: { again: /(^|\.)mlp\.(up|act|down)$/, drops: /(^|\.)mlp\.(act|down)$/ },
  moe: { again: /(^|\.)moe\./, drops: /(^|\.)moe\.(?!router$)/ },
}

const modulesFor = (chosen: readonly RecomputeModule[]): readonly Module[] =>
  chosen.flatMap((name) => (name === 'core_attn' ? [] : [MODULES[name]]))

export const runsAgain = (chosen: readonly RecomputeModule[], { name, operator: { kind } }: LocalOperator): boolean =>
  modulesFor(chosen).some(({ again }) => again.test(name)) || (chosen.includes('core_attn') && kind === 'attention')

/** Of what an operator keeps, the bytes that are dropped. */
export function droppedBytes(chosen: readonly RecomputeModule[], { name, operator, savedBy }: LocalOperator, kept: number): number {
  if (!modulesFor(chosen).some(({ drops }) => drops.test(name))) return 0
  if (operator.kind !== 'attention') return kept
  return kept - (operator.writtenBytes + 4 * operator.sequences * operator.heads * operator.queries) / savedBy
}
