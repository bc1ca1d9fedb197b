// What `ironlaw calibrate` adds to the published figures of an accelerator: rates by how many ranks share a node, exchanges by ranks and
// by nodes, and what finished runs showed the predictions to be off by. Nothing published is overwritten.

import { WORK_CLASSES } from '@ironlaw/contracts'
import { anyOf, figure, group, optional, text } from './shape.ts'

const COLLECTIVES = ['all-reduce', 'all-gather', 'reduce-scatter', 'all-to-all'] as const

/** Ranks on one node, and nodes: a group has named fields, so these are the counts that can be kept. */
export const RANK_COUNTS = [
  '1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '13', '14', '15', '16', '20', '24', '28', '32', '36', '40', '48', '56', '64', '72', '80', '96', '128',
] as const // prettier-ignore
export const NODE_COUNTS = [...RANK_COUNTS, '256', '512', '1024', '2048', '4096'] as const

const collectives = anyOf(COLLECTIVES, group({ alpha: figure('s'), bus: figure('B/s') }))

const sharedNode = group({
  products: optional(
    group({ start: figure('s'), rate: optional(figure('FLOP/s')), ramp: optional(figure('1')), bandwidth: optional(figure('B/s')) }),
  ),
  attention: optional(
    group({ start: figure('s'), rate: optional(figure('FLOP/s')), bandwidth: optional(figure('B/s')), backward: optional(figure('1')) }),
  ),
  vector: optional(figure('B/s')),
  copy: optional(figure('B/s')),
  staging: optional(group({ start: figure('s'), bandwidth: figure('B/s') })),
  optimizer: optional(figure('1/s')),
  launch: optional(group({ forward: figure('s'), backward: figure('s') })),
  collectives: optional(collectives),
  /** One standard deviation, relative: how far readings and fits of a class lie apart. */
  uncertainty: optional(anyOf(WORK_CLASSES, figure('1'))),
})

const correction = group({ factor: figure('1'), spread: figure('1'), runs: figure('1') })

export const measuredFacts = group({
  on: text,
  software: text,
  element: optional(figure('B')),
  processors: optional(figure('1')),
  nodeSpread: optional(figure('1')),
  sharing: optional(anyOf(RANK_COUNTS, sharedNode)),
  across: optional(anyOf(NODE_COUNTS, collectives)),
  /** Operations of the model per second and device that a training run reached. */
  trained: optional(group({ rate: figure('FLOP/s'), memory: optional(figure('B')) })),
  /** Measured over predicted time, by ranks on a node and class of work. */
  corrections: optional(anyOf(RANK_COUNTS, anyOf(WORK_CLASSES, correction))),
})
