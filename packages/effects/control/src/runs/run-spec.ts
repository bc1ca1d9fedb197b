// What of a run's request the control plane keeps and works with: its shape, and of the plan what a live run is compared with.

import type { RunShape, SecondsByCause } from '@ironlaw/contracts'
import { LOSSES, RUN } from '@ironlaw/contracts/api'
import { RECORDED_SPEC, RUN_CODE, type RunCode, type RunOrigin } from '@ironlaw/contracts/run-origin'
import { ARTIFACT_TYPES, type ArtifactType } from '@ironlaw/contracts/artifact'
import type { JsonObject, Run } from '@ironlaw/store'
import * as z from 'zod'

export type RunSpec = {
  readonly shape: RunShape
  /** A command that says by its exit that it is done; absent for a program that reports its end through the SDK. */
  readonly kind?: 'Job' | 'Data'
  readonly predicted_step_s?: number
  /** Steps of the whole run, by the plan or as the author of a job says. */
  readonly steps?: number
  /** Of the whole run, by cause of its ledger. */
  readonly expected_losses_s?: SecondsByCause
  /** Until the job has measured how long a checkpoint takes. */
  readonly checkpoint_every_s: number
  /** The checkpoint of another run that it begins with. */
  readonly from?: { readonly run: string; readonly step: number }
  /** Artifacts, by the names that its author gave. */
  readonly uses?: readonly UsedArtifact[]
  readonly code?: RunCode
  /** What its author wrote, without values of environment variables. */
  readonly written?: RunOrigin['configuration']['spec']
}

export type UsedArtifact = { readonly name: string; readonly id: string; readonly type: ArtifactType }

const SPEC = z.object({
  shape: RUN.shape.shape,
  kind: RUN.shape.kind,
  predicted_step_s: z.number().exactOptional(),
  steps: z.int().exactOptional(),
  expected_losses_s: LOSSES.exactOptional(),
  checkpoint_every_s: z.number(),
  from: z.object({ run: z.string(), step: z.int() }).exactOptional(),
  uses: z.array(z.object({ name: z.string(), id: z.string(), type: z.enum(ARTIFACT_TYPES) })).exactOptional(),
  code: RUN_CODE.exactOptional(),
  written: RECORDED_SPEC.exactOptional(),
})

export const specOf = (spec: JsonObject): RunSpec => SPEC.parse(spec)

export const specOfRun = ({ spec }: Run): RunSpec => specOf(spec)
