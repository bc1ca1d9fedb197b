// What checkpoints of finished runs teach about storage: the rate at which a node wrote, joined with the rate in force by a bounded step.

import { type Figure, figureOf } from './samples.ts'

/** `bytes` of one node. */
export type WrittenCheckpoint = { readonly bytes: number; readonly write_s: number }

/** Smaller ones are all latency. */
const LEAST_BYTES = 1e6
const LEAST_CHECKPOINTS = 3
const STEP = 2

/** Undefined where the checkpoints say too little. */
export function learnedRate(before: number | undefined, checkpoints: readonly WrittenCheckpoint[]): Figure | undefined {
  const rates = checkpoints
    .filter(({ bytes, write_s }) => bytes >= LEAST_BYTES && Number.isFinite(write_s) && write_s > 0)
    .map(({ bytes, write_s }) => bytes / write_s)
  if (rates.length < LEAST_CHECKPOINTS) return undefined
  const found = figureOf(rates)
  if (before === undefined) return found
  return { ...found, value: Math.sqrt(before * Math.min(STEP * before, Math.max(before / STEP, found.value))) }
}
