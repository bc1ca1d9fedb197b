// The worker's answer to a training question, as data that crosses threads. The quick answer is computed while the user
// drags; the slow one (front, failures, timeline) when they pause.

import type { CreateRun } from '@ironlaw/contracts/api'
import type { StepCause, TrainingPlan } from '@ironlaw/contracts'
import type { MemoryTerm, Sensitivity, Strategy, Suggestion } from '@ironlaw/planner'
import type { ReliabilityForecast } from '@ironlaw/simulator'
import type { Known } from '@ironlaw/units'
import type { StartableSpec } from '../launch/run-request.ts'

/** Options of the controls. */
export type Choices = {
  readonly models: readonly string[]
  readonly accelerators: readonly { readonly id: string; readonly name: string }[]
  readonly regions: readonly { readonly id: string; readonly name: string }[]
  readonly precisions: readonly string[]
  readonly runtimes: readonly string[]
}

export type RejectedStrategy = { readonly strategy: Strategy; readonly step_s: number; readonly reason: string; readonly remedy: string }

export type StageBytes = {
  readonly stage: number
  readonly terms: Readonly<Record<MemoryTerm, number>>
  readonly low: number
  readonly likely: number
  readonly high: number
}

/** One operator of the model against the roofs of the device, forward pass of one microbatch. */
export type OperatorPoint = {
  readonly name: string
  readonly intensity: number
  readonly attainable: number
  readonly time_s: number
  readonly bound: 'memory' | 'compute'
}

export type RooflinePicture = {
  readonly peak: Known<'FLOP/s'>
  readonly bandwidth: Known<'B/s'>
  readonly ridge: Known<'FLOP/B'>
  readonly operators: readonly OperatorPoint[]
}

/** Everything about the selected plan. */
export type Details = {
  readonly plan: TrainingPlan
  readonly causes: Readonly<Record<StepCause, number>>
  /** Time of each cause hidden by overlap. */
  readonly hidden: Readonly<Record<StepCause, number>>
  readonly stages: readonly StageBytes[]
  readonly sensitivities: readonly Sensitivity[]
  readonly roofline: RooflinePicture
  /** The input for starting a run of the plan. */
  readonly startable: StartableSpec
  /** By the name of the number on the page. */
  readonly derivations: Readonly<Record<string, Known>>
}

export type PlanAnswer = {
  /** The planned nodes and network, in one line. */
  readonly setting: string
  readonly warnings: readonly string[]
  /** Limits of the question that the best plan violates. */
  readonly violated: readonly string[]
  readonly tried: number
  readonly fitting: number
  /** Devices in use, of those requested. */
  readonly devices: number
  readonly limit_bytes: number
  /** Nothing fits with the probability asked for; the plans may. */
  readonly tight: boolean
  readonly plans: readonly TrainingPlan[]
  readonly rejected: readonly RejectedStrategy[]
  readonly details?: Details
  /** Why nothing fits, and the change that would make it fit. */
  readonly nothing?: {
    readonly why: string
    readonly change: string
    /** If the change is more devices. */
    readonly devices?: number
    /** Memory that the smallest strategy needs. */
    readonly stages: readonly StageBytes[]
  }
}

/** Columns, one row per pass of a microbatch through a stage. */
export type Passes = {
  readonly stages: number
  readonly span_s: number
  readonly drawn: number
  readonly microbatches: number
  readonly stage: Uint16Array
  readonly microbatch: Uint32Array
  readonly forward: Uint8Array
  readonly chunk: Uint8Array
  readonly start: Float64Array
  readonly end: Float64Array
}

/** Every strategy that fits, up to the number kept, fastest first. */
export type Cloud = { readonly step_s: Float64Array; readonly memory_bytes: Float64Array; readonly names: readonly string[] }

export type SlowAnswer = {
  /** Sizes near the requested ones that would be much better. */
  readonly suggestions: readonly Suggestion[]
  readonly cloud: Cloud
  readonly front: readonly TrainingPlan[]
  /** Expected losses of a run of the plan, by cause of the ledger. */
  readonly losses?: NonNullable<CreateRun['expected_losses_s']>
  readonly failures?: ReliabilityForecast
  /** For the numbers of `failures`. */
  readonly derivations?: Readonly<Record<string, Known>>
  readonly passes?: Passes
}
