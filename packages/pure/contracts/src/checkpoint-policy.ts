// Which checkpoints of a run are kept, and where a second copy lies: written in a spec, stored with the run, carried out by the agent that commits them. Further reasons to
// keep one (from before certain data was seen, say) will be further fields.

import * as z from 'zod'

/** More than this is no policy but an archive: every commit looks at all that are kept. */
const MOST_KEPT = 1000

export const CHECKPOINT_POLICY = z.strictObject({
  keepLast: z.int().positive().max(MOST_KEPT).exactOptional().describe('Newest checkpoints that are kept; 2 when left out'),
  keepEvery: z
    .int()
    .positive()
    .exactOptional()
    .describe('In addition to the newest, keep every N-th checkpoint for good, counted from the first of the run; none when left out'),
  local: z
    .string()
    .max(4096)
    .regex(/^\/[^\0\n]*$/, 'must be an absolute path')
    .exactOptional()
    .describe(
      'Directory on the disk of each node for a copy of its newest shards, read instead of shared storage when a process restarts in place',
    ),
})

export type CheckpointPolicy = z.infer<typeof CHECKPOINT_POLICY>
