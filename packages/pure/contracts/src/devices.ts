// Accelerators as a cluster counts them, and as a job requests them.

import type { DeviceCount } from './run-shape.ts'

/** What a site calls an accelerator, and what has to be requested with it. */
export type SiteDevice = {
  /** Id in the catalog, or any name that specs use. */
  readonly name: string
  /** The cluster's name: `gpu:h100`. */
  readonly kind: string
  readonly constraint?: string
  readonly partition?: string
  readonly memory_bytes?: number
  /** Accelerators that the fast links join. */
  readonly linkDomain?: number
}

/** `gpu` covers `gpu:h100` and every other model. */
export const coversKind = (requested: string, offered: string): boolean => offered === requested || offered.startsWith(`${requested}:`)

/** What a node has of one kind. */
export function countOfKind(devices: readonly DeviceCount[] | undefined, kind: string): Omit<DeviceCount, 'kind'> {
  const matching = (devices ?? []).filter((each) => coversKind(kind, each.kind))
  return { total: matching.reduce((sum, { total }) => sum + total, 0), free: matching.reduce((sum, { free }) => sum + free, 0) }
}

/** `4 gpu:h100, 2 gpu:a100`; empty for a node without any. */
export const devicesText = (devices: readonly DeviceCount[]): string => devices.map(({ kind, total }) => `${total} ${kind}`).join(', ')
