export { attemptsOf } from './attempts.ts'
export { type Database, inTransaction, openEmbedded, openPostgres } from './database.ts'
export {
  appendEvents,
  type ChainVerdict,
  eventsOf,
  FEED_START,
  feedAfter,
  type FeedCursor,
  feedEnd,
  type NewEvent,
  type NewEvents,
  runStream,
  verifyChain,
} from './events.ts'
export { type Answer, forgetKeys, type Keyed, once, type Once } from './idempotency.ts'
export { applyUnderLease, giveBack, type Held, type Lease, leaseDue, type LeaseRequest, type RunChange, wake } from './leases.ts'
export { migrate } from './migrate.ts'
export { drainNode, nodesOf, nodeStream, restoreNode, strikeNode } from './nodes.ts'
export { type NewPlan, planOf, putPlan } from './plans.ts'
export { createPrincipal, listPrincipals, type NewPrincipal, PRINCIPALS_STREAM, principalOfToken, revokePrincipal } from './principals.ts'
export { checkpointsOf, type Received, recentSteps, type Recorded, recordReport, type StepPlace, stepsAfter, vitalsOf } from './reports.ts'
export { createRun, desire, listRuns, type NewRun, runOf, type RunFilter, type RunPage } from './runs.ts'
export type { Checkpoint, Event, JsonObject, Node, Plan, Principal, Run, StepBatch, Tables, Vitals } from './tables.ts'
