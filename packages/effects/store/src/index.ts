export { type AccessFilter, type AccessPosition, accessStream, listAccess } from './access-trail.ts'
export { agentsOf, type AgentRunView, recordAgent } from './agents.ts'
export { allocationsOf, dueReleases, finishRelease, postponeRelease, type Release } from './allocations.ts'
export {
  claimedObjects,
  claimObjects,
  collectedAmong,
  type CollectedObject,
  forgetCollected,
  forgetCollectedBefore,
  highestArtifact,
  lockCollection,
  lockCollectionAlone,
  neededArtifacts,
  settleClaim,
} from './artifact-collection.ts'
export { addEdges, traceLineage } from './artifact-edges.ts'
export type { NeedingVersion, RemovedBasis } from './artifact-keepers.ts'
export {
  type Artifact,
  ARTIFACT_ID_BEGINNING,
  type ArtifactAuthor,
  type ArtifactName,
  artifactNames,
  type ArtifactNeed,
  currentNames,
  findArtifact,
  listArtifacts,
  nameArtifact,
  type NewArtifact,
  registerArtifact,
  removeArtifact,
} from './artifacts.ts'
export { attemptsOf, endingsSince, momentsOf, strategiesOf } from './attempts.ts'
export { BOOKS_OPEN_S, bookRun, booksSince, dueForBooking, postponeBooking, reopenBooks, takeOutOfBooks, unbookedRuns } from './books.ts'
export { type Budget, BUDGETS_STREAM, listBudgets, setBudget } from './budgets.ts'
export { contradictedHeads, headsAfter, headsOfStreams, type StreamHead } from './chain-heads.ts'
export {
  addDecision,
  type DecisionRow,
  decisionsOf,
  decisionsOfVersions,
  newestDecisions,
  type NewDecision,
  standingApprovals,
} from './decisions.ts'
export { rolloutsOfVersions, type VersionRollout } from './version-rollouts.ts'
export { DRILL_EVENT, lastDrills } from './drills.ts'
export { applyToDeployment, type DeploymentChange, leaseDeployments } from './deployment-leases.ts'
export {
  createDeployment,
  type DeploymentCount,
  deploymentCounts,
  deploymentNamed,
  type DeploymentOrder,
  deploymentStream,
  lastGoneReplicas,
  listDeployments,
  type NewDeployment,
  orderDeployment,
  replicasOf,
  revisionsOf,
} from './deployments.ts'
export { type Database, databaseClock, type DatabaseLimits, inTransaction, NO_LIMITS, openEmbedded, openPostgres } from './database.ts'
export {
  appendEvents,
  appendLinks,
  type ChainHead,
  type ChainVerdict,
  eventsOf,
  FEED_START,
  feedAfter,
  type FeedCursor,
  feedEnd,
  newestEvents,
  type NewEvent,
  type NewEvents,
  runStream,
  verifyChain,
} from './events.ts'
export { type FeedReader, leaveFeedReader, moveFeedReader, takeFeedReader } from './feed-readers.ts'
export {
  accessDocument,
  configDocument,
  configureGateways,
  configVersion,
  GATEWAYS_STREAM,
  gatewaysSince,
  type LastSnapshot,
  makeSnapshot,
  MOST_GATEWAYS,
  recordGateway,
  replaceAccess,
  snapshotOf,
  startEpoch,
} from './gateways.ts'
export { type StoredResponse, forgetKeys, type IdempotentRequest, runOnce, type OnceResult } from './idempotency.ts'
export { applyUnderLease, giveBack, type HeldLease, type Lease, leaseDue, type RunChange, wake } from './leases.ts'
export { CODES_KEPT, keepLoginCode, takeLoginCode } from './login-codes.ts'
export { migrate } from './migrate.ts'
export { artifactsAbout, datasetsUsed, evaluationCounts, listVersions, type MakerRow, makersOf, versionNames } from './model-versions.ts'
export {
  drainNode,
  nodesOf,
  nodeStream,
  readingsOf,
  recordDrainWithheld,
  recordReadings,
  restoreNode,
  strikeNode,
  suspicionsOf,
} from './nodes.ts'
export { type NewPlan, planOf, putPlan } from './plans.ts'
export {
  dueProfileDays,
  dueProfileHours,
  type MergedHour,
  type MergedPart,
  mergeProfileDay,
  mergeProfileHour,
  type MergeResult,
  type ProfilePart,
} from './profile-merges.ts'
export { closeProfileHours, forgetProfiles, recordProfiles, REPORTED_HOURS, type ReportedWindow } from './profiles.ts'
export { profileGroups, profilesOf, type ProfileSpan } from './profile-span.ts'
export { type ProjectFeed, projectFeed } from './project-feed.ts'
export { replaceTeams, type StoredTeams, TEAMS_STREAM, teamsDocument } from './teams-documents.ts'
export type { ProjectScope } from './project-scope.ts'
export {
  type Bearer,
  bearersOf,
  bindGateway,
  createPrincipal,
  listPrincipals,
  type NewPrincipal,
  principalNamed,
  PRINCIPALS_STREAM,
  recordUse,
  revokePrincipal,
  rotatePrincipal,
  type TokenOwner,
  tokenOwners,
} from './principals.ts'
export {
  checkpointsOf,
  isPlain,
  type Pace,
  pacesOf,
  type ReceivedReport,
  recentSteps,
  recentStepsOf,
  type ReportOutcome,
  firstStepsOf,
  recordReport,
  recordReports,
  type StepPosition,
  stepsAfter,
  stepsWithin,
  type ReportReceipt,
  vitalsOf,
} from './reports.ts'
export { environmentsOf, environmentsOfRun, packageList } from './run-environments.ts'
export { type LineageArtifact, lineageOfRun, type RunLineage } from './run-lineage.ts'
export {
  createRun,
  setDesired,
  LIVE_STATES,
  listRuns,
  liveRunCounts,
  type NewRun,
  repetitionsOf,
  resume,
  runOf,
  type RunFilter,
  type RunPage,
  runsNamed,
} from './runs.ts'
export {
  createSession,
  endSession,
  listSessions,
  type NewSession,
  recordSessionUse,
  type Session,
  sessionOf,
  SESSIONS_KEPT,
  groupsOfPeople,
} from './sessions.ts'
export { type JobUserRow, jobUsersOf, keepJobUser, projectOfJob } from './job-users.ts'
export { changeQuotaLedger } from './quota-ledger.ts'
export {
  allVersions,
  newestSecrets,
  projectsWithSecrets,
  putSecret,
  removeSecret,
  rewrapSecrets,
  type SealedVersion,
  sealingKeys,
  type SecretName,
  SECRETS_KEY_STREAM,
  secretsMark,
  secretsStream,
  type SecretVersion,
  VERSIONS_KEPT,
} from './secrets.ts'
export type {
  Agent,
  Checkpoint,
  Deployment,
  Event,
  Gateway,
  JsonObject,
  Node,
  Plan,
  Principal,
  Run,
  RunEnvironmentRow,
  StepBatch,
  Tables,
  Vitals,
} from './tables.ts'
export type { StoredBodies } from './stored-bodies.ts'
