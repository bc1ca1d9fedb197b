// The shapes a replica may take on one kind of accelerator, and why others are out.

import type { Architecture } from '@ironlaw/models'
import { devicesOf, expertSlots, type Layout, SINGLE } from './layout.ts'

export type FixedLayout = { readonly [Key in keyof Layout]?: Layout[Key] }

const KEYS = ['tensor', 'pipeline', 'data', 'expert'] as const
const SIZES = [1, 2, 4, 8]
/** Ranks that share the experts beyond one node: as DeepSeek, the recipes of InferenceX and whole racks of 72 have them. */
const WIDE = [16, 32, 64, 72]
/** Ranks that divide one layer, and so exchange twice a layer. */
const MOST_TENSOR = 8
/** Copies of experts that fill the last slots cost memory: at most an eighth more. */
const MOST_SLOTS = 9 / 8

/**
 * Tensor parallelism inside a node, pipeline stages across nodes, and for models with experts copies of the attention that share them, within
 * the `joined` devices of a fast link or over whole nodes.
 */
export function candidateLayouts(architecture: Architecture, joined: number, fixed: FixedLayout = {}): readonly Layout[] {
  const { heads, experts } = divisionLimits(architecture)
  const perNode = Math.min(MOST_TENSOR, joined)
  const layouts = SIZES.filter((size) => size <= perNode && heads % size === 0).flatMap((tensor): Layout[] => [
    { ...SINGLE, tensor },
    ...(tensor === perNode ? [2, 4].map((pipeline) => ({ ...SINGLE, tensor, pipeline })) : []),
    ...(experts > 1 && tensor > 1 ? [{ ...SINGLE, tensor, expert: tensor }] : []),
  ])
  const shared = SIZES.filter((size) => size > 1 && size <= perNode && experts % size === 0)
  const wide = WIDE.filter(
    (size) => size <= experts && (size <= joined || size % joined === 0) && expertSlots(experts, size) <= MOST_SLOTS * experts,
  )
  const all = [...layouts, ...(experts > 1 ? [...shared, ...wide] : []).map((data): Layout => ({ ...SINGLE, data, expert: data }))]
  const chosen = all.filter((layout) => KEYS.every((key) => fixed[key] === undefined || layout[key] === fixed[key]))
  const asked = { ...SINGLE, ...fixed }
  return chosen.length === 0 && devicesOf(asked) > 0 && Object.keys(fixed).length > 0 ? [asked] : chosen
}

function divisionLimits({ groups }: Architecture): { readonly heads: number; readonly experts: number } {
  const layers = groups.flatMap((group) => group.layers)
  const attention = layers.find((layer) => layer.kind === 'attention' || layer.kind === 'latent-attention')
  const moe = layers.find((layer) => layer.kind === 'moe')
  return { heads: attention && 'heads' in attention ? attention.heads : 1, experts: moe?.kind === 'moe' ? moe.experts : 1 }
}
