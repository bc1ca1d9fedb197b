export { decideDeployment, type DeploymentAction, type DeploymentSeen, type ReplicaSeen, type Wanted } from './decide-deployment.ts'
export { DEFAULT_DEPLOYMENT_LIMITS, type DeploymentLimits } from './limits.ts'
export { type ConfigVersion, decideSync, GATEWAY_FRESH_S, gatewayState, hasApplied, type SyncDecision } from './gateway-config.ts'
