// How one replica is divided over its devices.

import type { ServingLayout } from '@ironlaw/contracts'

export type Layout = ServingLayout

export const SINGLE: Layout = { tensor: 1, pipeline: 1, data: 1, expert: 1 }

export const devicesOf = ({ tensor, pipeline, data }: Layout): number => tensor * pipeline * data

/** Ranks that divide one expert. */
export const expertTensor = ({ tensor, data, expert }: Layout): number => (tensor * data) / expert

/** Places for experts: every rank has equally many, and copies of the busiest experts fill those that are left over. */
export const expertSlots = (experts: number, ranks: number): number => Math.ceil(experts / ranks) * ranks

export const layoutText = ({ tensor, pipeline, data, expert }: Layout): string =>
  [
    ['tp', tensor],
    ['pp', pipeline],
    ['dp', data],
    ['ep', expert],
  ]
    .filter(([, size]) => size !== 1)
    .map(([name, size]) => `${name}${size}`)
    .join(' ') || 'one device'
