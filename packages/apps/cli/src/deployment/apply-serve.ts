// `ironlaw apply` for a spec of kind Serve: plan, show the price, confirm, and deploy. For an existing deployment it shows what would
// change, as computed by the control plane, and changes only that.

import { dirname, resolve } from 'node:path'
import type { Catalog } from '@ironlaw/catalog'
import { deployRefusal, IronlawError, type ServingPlan } from '@ironlaw/contracts'
import type { CreateDeployment, DeploymentChanged, NewRevision } from '@ironlaw/contracts/deployment-api'
import type { ServeSpec } from '@ironlaw/contracts/serve-spec'
import { planServing, requestedDevices, type ServingPlanInputs } from '@ironlaw/planner'
import { dollars, seconds, show } from '@ironlaw/units'
import { catalogFor } from '../catalog/catalog-source.ts'
import { confirm } from '../confirm.ts'
import { api, find } from '../api/api-client.ts'
import type { ApplyFlags } from '../run/apply-train.ts'
import { type Context, context } from '../context/context.ts'
import { paint } from '../paint.ts'
import { readServing } from '../plan/serve-source.ts'
import { changesTable, rolloutText } from './deployment-text.ts'
import { type EngineCommand, engineCommand } from './engine-program.ts'

export async function applyServe(file: string, flags: ApplyFlags): Promise<void> {
  const to = context()
  const catalog = catalogFor(flags.with)
  const { spec, wanted } = readServing(catalog, file)
  const plan = deployablePlan(catalog, wanted, file)
  const devices = requestedDevices(catalog, { name: plan.accelerator, perNode: plan.pools[0]?.devicesPerReplica ?? 1 })
  const { body, requires } = deploymentBody(plan, spec, {
    base: resolve(dirname(file)),
    devices,
    acceptsInexact: flags.acceptInexact === true,
  })
  const living = await find(api(to).getDeployment({ name: body.name }))
  const offered = [offerText(plan, body.name), ...requires.map((each) => paint('yellow', `  ${each}`))].join('\n')
  if (living) {
    refuseOtherOwner(living, body)
    return updateDeployment(to, { plan, body, offered }, flags)
  }
  if (flags.dryRun)
    return printOutput(flags, {
      json: { creates: body, requires },
      text: `${offered}\n  would be created with ${body.spec.replicas} replicas`,
    })
  if (!flags.json) process.stdout.write(`${offered}\n  ${body.spec.replicas} replicas\n`)
  if (!flags.yes && !(await confirm({ question: 'deploy it?', command: 'apply' }))) return
  await storePlan(to, plan, body.project)
  const made = await api(to).createDeployment({ body })
  printOutput(flags, { json: made, text: rolloutText(made, Date.now() / 1000) })
}

type ApplyOutput = { readonly json: object; readonly text: string }

const printOutput = ({ json: isJson }: ApplyFlags, { json, text }: ApplyOutput): void =>
  void process.stdout.write(`${isJson ? JSON.stringify(json) : text}\n`)

type Ownership = Pick<CreateDeployment, 'project' | 'team'>

/** The cost of a deployment is booked to its project and team, so these cannot change. */
export function refuseOtherOwner(living: Ownership & { readonly name: string }, wanted: Ownership): void {
  const differs = (['project', 'team'] as const).filter((field) => living[field] !== wanted[field])
  if (differs.length === 0) return
  const changes = differs.map((field) => `deploy.${field} from "${living[field]}" to "${wanted[field]}"`)
  const kept = differs.map((field) => `${field}: ${living[field]}`)
  throw new IronlawError('IL_USAGE', {
    problem: `the file changes ${changes.join(' and ')}, which cannot change while the deployment exists: write "${kept.join(', ')}" under deploy, or "ironlaw remove ${living.name}" and apply again`,
    command: 'apply',
  })
}

type DeploymentUpdate = {
  readonly plan: ServingPlan
  readonly body: CreateDeployment
  /** What the user is about to confirm, in words. */
  readonly offered: string
}

async function updateDeployment(to: Context, { plan, body, offered }: DeploymentUpdate, flags: ApplyFlags): Promise<void> {
  const { name, spec, revision } = body
  const change = { name, body: { spec, revision } }
  const shown = await api(to).changeDeployment({ ...change, query: { dry_run: 'true' } })
  if (shown.changes.length === 0)
    return printOutput(flags, { json: shown, text: `${paint('bold', name)} already matches the file: nothing to change` })
  if (!flags.json || flags.dryRun) printOutput(flags, { json: shown, text: `${offered}\n\n${changeText(shown)}` })
  if (flags.dryRun || (!flags.yes && !(await confirm({ question: 'change it?', command: 'apply' })))) return
  await storePlan(to, plan, body.project)
  const made = await api(to).changeDeployment({ ...change, headers: { 'if-match': `"${shown.etag}"` } })
  printOutput(flags, { json: made, text: rolloutText(made.deployment, Date.now() / 1000) })
}

/** Stored before the deployment refers to it: the deployment's page compares measured latencies with the plan. */
const storePlan = (to: Context, plan: ServingPlan, project: string): Promise<unknown> =>
  api(to).storePlan({ query: { project }, body: plan })

function changeText({ changes, revision, deployment: { stable } }: DeploymentChanged): string {
  const tried = `revision ${revision} is rolled out as a canary; revision ${stable} keeps serving until the new one proves as good`
  return [changesTable(changes), ...(revision === undefined ? [] : ['', tried])].join('\n')
}

/** The best plan, or why it cannot be run; running another one would not match what `ironlaw plan` shows. */
export function deployablePlan(catalog: Catalog, wanted: ServingPlanInputs, file: string): ServingPlan {
  const [plan] = planServing(catalog, wanted).plans
  if (!plan)
    throw new IronlawError('IL_USAGE', { problem: `nothing meets the objectives; "ironlaw plan ${file}" says why`, command: 'apply' })
  const refusal = deployRefusal(plan)
  if (!refusal) return plan
  const instead = refusal.why === 'wide' ? refusal.change : singlePoolAdvice(catalog, wanted, { plan, file })
  throw new IronlawError('IL_NOT_DEPLOYABLE', {
    plan: plan.id,
    reason: refusal.reason,
    next: `${instead}; or start it yourself from "ironlaw plan ${file} --export vllm" (or sglang, kubernetes)`,
  })
}

type DisaggregatedPlan = { readonly plan: ServingPlan; readonly file: string }

function singlePoolAdvice(catalog: Catalog, wanted: ServingPlanInputs, { plan, file }: DisaggregatedPlan): string {
  const [shared] = planServing(catalog, { ...wanted, disaggregated: 'never' }).plans
  return shared
    ? `write "disaggregated: never" into ${file}: ${shared.devices} x ${shared.accelerator} in one pool instead of ${plan.devices} x ${plan.accelerator}`
    : `no plan with one pool meets the objectives: relax them and write "disaggregated: never" into ${file}`
}

/** What the user is about to confirm. */
function offerText({ id, accelerator, devices, prediction }: ServingPlan, name: string): string {
  const { ttft_s, tpot_s, capacity_requests_per_s, usd_per_hour, usd_per_million_tokens } = prediction
  const hourly = usd_per_hour === undefined ? 'no price known' : `${show(dollars(usd_per_hour), 'USD')} an hour`
  const perToken = usd_per_million_tokens === undefined ? '' : `, ${show(dollars(usd_per_million_tokens), 'USD')} a million output tokens`
  return [
    `${paint('bold', name)} on ${devices} x ${accelerator} (${id})`,
    `  first token ${show(seconds(ttft_s), 's')}, then ${show(seconds(tpot_s), 's')} a token, ${capacity_requests_per_s.toFixed(1)} requests a second`,
    `  ${hourly}${perToken}`,
  ].join('\n')
}

type ResolvedInputs = { readonly base: string; readonly devices: NewRevision['devices'] | undefined; readonly acceptsInexact: boolean }

type DeploymentBody = { readonly body: CreateDeployment } & Pick<EngineCommand, 'requires'>

function deploymentBody(plan: ServingPlan, { name, deploy }: ServeSpec, { base, devices, acceptsInexact }: ResolvedInputs): DeploymentBody {
  if (!deploy)
    throw new IronlawError('IL_USAGE', { problem: 'the spec has no "deploy" block that says which engine to start', command: 'apply' })
  const {
    engine: _,
    program: __,
    directory,
    environment,
    secrets,
    model = name,
    version,
    processes,
    max_running,
    project,
    team,
    replicas,
    ...rest
  } = deploy
  const [pool] = plan.pools
  const { argv, requires } = engineCommand(plan, deploy, acceptsInexact)
  const revision: NewRevision = {
    plan: plan.id,
    model,
    ...(version !== undefined && { version }),
    argv,
    directory: resolve(base, directory),
    environment,
    ...(secrets && { secrets }),
    processes: processes ?? pool?.devicesPerReplica ?? 1,
    max_running,
    ...(devices && { devices }),
  }
  const body = { name, project, team, spec: { ...rest, plan: plan.id, replicas: replicas ?? pool?.replicas ?? 1 }, revision }
  return { body, requires }
}
