// What a run may follow, and what is kept under a content address. A new kind of work adds its plan here.

import * as z from 'zod'
import { DATA_PLAN } from './data-plan.ts'
import { SERVING_PLAN } from './serving-plan.ts'
import { TRAINING_PLAN } from './training-plan.ts'

const CALIBRATION_PLAN = z
  .object({
    apiVersion: z.literal('ironlaw/v1'),
    kind: z.literal('Calibration'),
    id: z.string(),
    name: z.string(),
    fleet: z.object({ accelerator: z.string(), devices: z.int().positive(), perNode: z.int().positive() }).readonly(),
    prediction: z.object({ step_s: z.number().positive().describe('Longest duration of one measurement') }).readonly(),
  })
  .readonly()
  .meta({ id: 'CalibrationPlan' })

/** A command without a plan, kept where plans are: nothing about it is predicted. */
const JOB_PLAN = z
  .object({
    apiVersion: z.literal('ironlaw/v1'),
    kind: z.literal('Job'),
    id: z.string(),
    name: z.string(),
    processes: z.int().positive(),
    steps: z.int().positive().exactOptional().describe('Steps of the whole job, where its author knows'),
  })
  .readonly()
  .meta({ id: 'JobPlan' })

export const RUN_PLAN = z.discriminatedUnion('kind', [TRAINING_PLAN, CALIBRATION_PLAN, DATA_PLAN, JOB_PLAN])
export const PLAN = z.discriminatedUnion('kind', [TRAINING_PLAN, CALIBRATION_PLAN, DATA_PLAN, JOB_PLAN, SERVING_PLAN])

export type CalibrationPlan = z.infer<typeof CALIBRATION_PLAN>
export type JobPlan = z.infer<typeof JOB_PLAN>
export type RunPlan = z.infer<typeof RUN_PLAN>
export type Plan = z.infer<typeof PLAN>
