export {
  decideDeployment,
  type DeploymentAction,
  type DeploymentObservation,
  type ObservedReplica,
  type DesiredReplicas,
} from './decide-deployment.ts'
export { DEFAULT_DEPLOYMENT_LIMITS, type DeploymentLimits } from './limits.ts'
export { type ConfigVersion, decideSync, GATEWAY_FRESH_S, gatewayState, hasApplied, type SyncDecision } from './gateway-config.ts'
