// The request to the control plane that deploys a plan of the page, and the spec with which `ironlaw apply` would send the same.

import { deployRefusal, IronlawError, type ServingPlan, servingPlanId } from '@ironlaw/contracts'
import type { CreateDeployment, NewRevision } from '@ironlaw/contracts/deployment-api'
import type { PlannedServeSpec } from '@ironlaw/planner'
import { plannedEngine, servingRefusal } from '@ironlaw/exporters'
import { commandWords } from './command-words.ts'
import { yamlText } from './yaml-text.ts'

export const ENGINES = ['vllm', 'sglang', 'llamacpp', 'other'] as const

export type DeploymentForm = {
  readonly name: string
  /** As a shell would read it. */
  readonly program: string
  readonly directory: string
  /** The engine whose flags the plan sets; the command of any other program stays as written. */
  readonly engine: (typeof ENGINES)[number]
  /** Name by which the engine knows the model. */
  readonly model: string
  readonly project: string
  readonly acceptsInexact: boolean
}

/** Computed by the planner's worker for a plan that can be deployed. */
export type DeployableSpec = {
  readonly spec: PlannedServeSpec
  readonly plan: ServingPlan
  /** Whether the plan differs from the one that the spec alone leads to. */
  readonly pinned: boolean
  readonly devices?: NonNullable<NewRevision['devices']>
}

export type DeploymentRequest =
  | { readonly refusal: IronlawError }
  | { readonly refusal?: undefined; readonly plan: ServingPlan; readonly body: CreateDeployment; readonly requires: readonly string[] }

/** The default for `deploy` of a spec. */
export const MAX_RUNNING = 64
const UNCHANGED = { rollout: { margins: {} }, probes: [], limits: {} }

/** The plan under the name of its deployment, as the command line gets it from the spec. */
function namedPlan({ plan }: DeployableSpec, name: string): ServingPlan {
  const named = { ...plan, name }
  return { ...named, id: servingPlanId(named) }
}

export function deploymentRequest(deployable: DeployableSpec, form: DeploymentForm): DeploymentRequest {
  const plan = namedPlan(deployable, form.name)
  const refused = deployRefusal(plan)
  if (refused)
    return {
      refusal: new IronlawError('IL_NOT_DEPLOYABLE', {
        plan: plan.id,
        reason: refused.reason,
        next: `${refused.change}; or start it yourself from an export below`,
      }),
    }
  const command = commandOf(plan, form)
  if ('refusal' in command) return command
  const [pool] = plan.pools
  const revision: NewRevision = {
    plan: plan.id,
    model: form.model,
    argv: [...command.argv],
    directory: form.directory,
    environment: {},
    processes: pool?.devicesPerReplica ?? 1,
    max_running: MAX_RUNNING,
    ...(deployable.devices && { devices: deployable.devices }),
  }
  const spec = { ...UNCHANGED, plan: plan.id, replicas: pool?.replicas ?? 1 }
  return { plan, body: { name: form.name, project: form.project, team: 'default', spec, revision }, requires: command.requires }
}

type Command = { readonly refusal: IronlawError } | { readonly argv: readonly string[]; readonly requires: readonly string[] }

function commandOf(plan: ServingPlan, { engine, program, acceptsInexact }: DeploymentForm): Command {
  const [pool] = plan.pools
  if (engine === 'other' || !pool) return { argv: commandWords(program), requires: [] }
  const planned = plannedEngine(plan, { engine, program: commandWords(program), pool })
  const refusal = servingRefusal(planned, { engine, acceptsInexact })
  return refusal ? { refusal } : planned
}

export function serveYaml({ spec, plan, pinned }: DeployableSpec, form: DeploymentForm): string {
  const [pool] = plan.pools
  return yamlText({
    ...spec,
    name: form.name,
    ...(pinned && { accelerators: [plan.accelerator], precisions: [plan.precision], ...(pool && { layout: { ...pool.layout } }) }),
    deploy: {
      program: commandWords(form.program),
      ...(form.engine !== 'other' && { engine: form.engine }),
      directory: form.directory,
      ...(form.model !== form.name && { model: form.model }),
      ...(form.project !== 'default' && { project: form.project }),
    },
  })
}
