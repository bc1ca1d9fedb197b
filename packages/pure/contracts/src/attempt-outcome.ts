import * as z from 'zod'
import { END_REASONS } from './end-reason.ts'
import type { Immutable } from './immutable.ts'

export const OUTCOME = z.object({
  cause: z.enum(END_REASONS),
  detail: z.string(),
  step: z.int().exactOptional(),
  nodes: z.array(z.string()).exactOptional(),
})

export type AttemptOutcome = Immutable<z.infer<typeof OUTCOME>>
