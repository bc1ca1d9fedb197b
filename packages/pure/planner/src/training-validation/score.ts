// One case scored: what was predicted against what was measured, and the errors of many summed up. An error is relative and signed,
// predicted over measured less one: +0.1 says that the prediction is 10 % too slow, or too large.

import { STEP_CAUSES, type StepCause } from '@ironlaw/contracts'
import type { Catalog } from '@ironlaw/catalog'
import { quantile } from '@ironlaw/laws/quantile'
import { stepInterval } from '../training/time/interval.ts'
import type { Machine } from '../machine/machine.ts'
import { machineFor } from '../machine/machine-for.ts'
import { memoryAccount } from '../training/memory/memory.ts'
import { stepTime } from '../training/time/step-time.ts'
import { divisionLimits } from '../training/search/legality.ts'
import type { TrainingJob } from '../training/job.ts'
import type { Strategy } from '../training/strategy.ts'
import type { Case, PredictionInputs, Split } from './case.ts'

/** `allocated`: what the framework's allocator handed out; `device`: what it holds or the driver reports. */
type MemoryScore = {
  readonly counted: 'allocated' | 'device'
  readonly measured_bytes: number
  readonly predicted_bytes: number
  readonly error: number
}

export type ScoredRow = {
  readonly id: string
  readonly source: string
  readonly split: Split
  readonly accelerator: string
  readonly family: string
  readonly devices: number
  readonly parallelism: string
  /** Dense or with experts, and whether stages, shards or neither hold the weights. */
  readonly layout: string
  readonly measured_s: number
  readonly predicted_s: number
  readonly low_s: number
  readonly high_s: number
  readonly error: number
  /** Share of the predicted step by cause, largest first. */
  readonly causes: readonly { readonly cause: StepCause; readonly share: number }[]
  readonly beyond: readonly string[]
  readonly near?: string
  readonly memory?: MemoryScore
}

export type Summary = {
  readonly n: number
  /** Of the absolute errors. */
  readonly median: number
  readonly mean: number
  readonly p90: number
  /** Mean of the signed errors. */
  readonly bias: number
  /** Of |ln(predicted / measured)|, in which half as long and twice as long are the same error. */
  readonly log: { readonly median: number; readonly mean: number; readonly p90: number }
}

export function machineOf(catalog: Catalog, { choice, linkBandwidth }: Pick<PredictionInputs, 'choice' | 'linkBandwidth'>): Machine {
  const machine = machineFor(catalog, choice)
  return linkBandwidth === undefined ? machine : { ...machine, fabric: { ...machine.fabric, linkBandwidth } }
}

export function scoredRow(catalog: Catalog, asked: Case, machine: Machine = machineOf(catalog, asked)): ScoredRow {
  const { job, strategy, measured } = asked
  const step = stepTime({ machine, job }, strategy)
  const { low, high } = stepInterval({ machine, job }, strategy, step)
  const memory = memoryScore(asked)
  return {
    id: asked.id,
    source: asked.source,
    split: asked.split,
    accelerator: asked.choice.accelerator,
    family: asked.family,
    devices: asked.devices,
    parallelism: parallelismOf(strategy),
    layout: layoutOf(job, strategy),
    measured_s: measured.step_s,
    predicted_s: step.total,
    low_s: low,
    high_s: high,
    error: step.total / measured.step_s - 1,
    causes: STEP_CAUSES.map((cause) => ({ cause, share: step.causes[cause] / step.total }))
      .filter(({ share }) => share > 0)
      .toSorted((a, b) => b.share - a.share),
    beyond: asked.beyond,
    ...(asked.near !== undefined && { near: asked.near }),
    ...(memory && { memory }),
  }
}

function memoryScore({ job, strategy, choice, measured: { memory } }: Case): MemoryScore | undefined {
  if (!memory || memory.kind === 'unstated') return undefined
  const { allocated, device } = memoryAccount({ job, machine: choice }, strategy).worst
  const counted = memory.kind === 'allocated' ? 'allocated' : 'device'
  const predicted = counted === 'allocated' ? allocated : device.likely
  return { counted, measured_bytes: memory.bytes, predicted_bytes: predicted, error: predicted / memory.bytes - 1 }
}

/** The axes that divide the run, as people write them; sharded weights make data parallelism FSDP. */
function parallelismOf({ tensor, context, pipeline, expert, data, shards }: Strategy): string {
  const axes = [
    ...(tensor > 1 ? ['TP'] : []),
    ...(context > 1 ? ['CP'] : []),
    ...(pipeline > 1 ? ['PP'] : []),
    ...(expert > 1 ? ['EP'] : []),
    ...(data > 1 ? [shards === 'weights' ? 'FSDP' : 'DP'] : []),
  ]
  return axes.length === 0 ? 'none' : axes.join('+')
}

function layoutOf(job: TrainingJob, { pipeline, data, shards }: Strategy): string {
  const kind = divisionLimits(job).experts > 1 ? 'experts' : 'dense'
  if (pipeline > 1) return `${kind}, pipeline`
  return shards === 'weights' && data > 1 ? `${kind}, fully sharded` : `${kind}, neither`
}

/** Undefined where there is nothing to sum up. */
export function summaryOf(errors: readonly number[]): Summary | undefined {
  const n = errors.length
  if (n === 0) return undefined
  const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / n
  const spreadOf = (values: readonly number[]): Summary['log'] => {
    const sizes = values.map(Math.abs).toSorted((a, b) => a - b)
    return { median: quantile(sizes, 0.5), mean: meanOf(sizes), p90: quantile(sizes, 0.9) }
  }
  return { n, ...spreadOf(errors), bias: meanOf(errors), log: spreadOf(errors.map(Math.log1p)) }
}

/** Share of rows whose measurement lies in the 90 % interval. */
export const coverageOf = (rows: readonly ScoredRow[]): number =>
  rows.filter(({ measured_s, low_s, high_s }) => low_s <= measured_s && measured_s <= high_s).length / rows.length
