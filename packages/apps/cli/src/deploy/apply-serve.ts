// `ironlaw apply` for a spec of kind Serve: plan, show the price, ask, and have it served; a deployment that lives gets a new revision.

import { dirname, resolve } from 'node:path'
import type { Catalog } from '@ironlaw/catalog'
import { deployRefusal, IronlawError, type ServingPlan } from '@ironlaw/contracts'
import { page, PLAN_VIEW } from '@ironlaw/contracts/api'
import { type CreateDeployment, DEPLOYMENT, type DeploymentView, type NewRevision } from '@ironlaw/contracts/deployment-api'
import type { ServeSpec } from '@ironlaw/contracts/serve-spec'
import { planServing, type WantedServing } from '@ironlaw/planner'
import { dollars, seconds, show } from '@ironlaw/units'
import { catalogFor } from '../catalog-source.ts'
import { call, post } from '../operate/api-client.ts'
import { agreed, type ApplyFlags } from '../operate/apply.ts'
import { context } from '../operate/context.ts'
import { paint } from '../paint.ts'
import { servingFrom } from '../serve-source.ts'
import { rolloutText } from './deployment-text.ts'

export async function applyServe(file: string, flags: ApplyFlags): Promise<void> {
  const to = context()
  const catalog = catalogFor(flags.with)
  const { spec, wanted } = servingFrom(catalog, file)
  const plan = deployablePlan(catalog, wanted, file)
  const body = deploymentOf(plan, spec, resolve(dirname(file)))
  const { items } = await call(to, '/v1/deployments', page(DEPLOYMENT))
  const living = items.find(({ name }) => name === body.name)
  if (!flags.json) process.stdout.write(`${offer(plan, body, living)}\n`)
  if (!flags.yes && !(await agreed())) return
  // Kept first: the deployment's page holds what is felt against what was promised.
  await post(to, '/v1/plans', { body: plan, answer: PLAN_VIEW })
  const made = living
    ? await post(to, `/v1/deployments/${body.name}/revisions`, { body: body.revision, answer: DEPLOYMENT })
    : await post(to, '/v1/deployments', { body, answer: DEPLOYMENT })
  process.stdout.write(flags.json ? `${JSON.stringify(made)}\n` : `${rolloutText(made, Date.now() / 1000)}\n`)
}

/** The best plan, or why it cannot be run; another one in its place would not be what `ironlaw plan` shows. */
export function deployablePlan(catalog: Catalog, wanted: WantedServing, file: string): ServingPlan {
  const [plan] = planServing(catalog, wanted).plans
  if (!plan)
    throw new IronlawError('IL_USAGE', { problem: `nothing meets the objectives; "ironlaw plan ${file}" says why`, command: 'apply' })
  const reason = deployRefusal(plan)
  if (reason === undefined) return plan
  const [shared] = planServing(catalog, { ...wanted, disaggregated: 'never' }).plans
  const instead = shared
    ? `write "disaggregated: never" into ${file}: ${shared.devices} x ${shared.accelerator} in one pool instead of ${plan.devices} x ${plan.accelerator}`
    : `no plan with one pool meets the objectives: relax them and write "disaggregated: never" into ${file}`
  throw new IronlawError('IL_NOT_DEPLOYABLE', {
    plan: plan.id,
    reason,
    next: `${instead}; or start it yourself from "ironlaw plan ${file} --export vllm" (or sglang, kubernetes)`,
  })
}

/** What one is about to agree to. */
function offer(
  { id, accelerator, devices, prediction }: ServingPlan,
  { name, spec }: CreateDeployment,
  living: DeploymentView | undefined,
): string {
  const { ttft_s, tpot_s, capacity_requests_per_s, usd_per_hour, usd_per_million_tokens } = prediction
  const hourly = usd_per_hour === undefined ? 'no price known' : `${show(dollars(usd_per_hour), 'USD')} an hour`
  const perToken = usd_per_million_tokens === undefined ? '' : `, ${show(dollars(usd_per_million_tokens), 'USD')} a million tokens`
  return [
    `${paint('bold', name)} on ${devices} x ${accelerator} (${id})`,
    `  first token ${show(seconds(ttft_s), 's')}, then ${show(seconds(tpot_s), 's')} a token, ${capacity_requests_per_s.toFixed(1)} requests a second`,
    `  ${hourly}${perToken}`,
    living
      ? `  revision ${living.newest + 1} beside revision ${living.stable}, which serves until the new one is found as good`
      : `  ${spec.replicas} replicas`,
  ].join('\n')
}

function deploymentOf(plan: ServingPlan, { name, deploy }: ServeSpec, base: string): CreateDeployment {
  if (!deploy)
    throw new IronlawError('IL_USAGE', { problem: 'the spec has no "deploy" block that says which engine to start', command: 'apply' })
  const { program, directory, environment, model = name, processes, max_running, project, team, replicas, ...rest } = deploy
  const revision: NewRevision = {
    plan: plan.id,
    model,
    argv: program,
    directory: resolve(base, directory),
    environment,
    processes: processes ?? plan.pools[0]?.devicesPerReplica ?? 1,
    max_running,
  }
  const planned = plan.pools.reduce((sum, pool) => sum + pool.replicas, 0)
  return { name, project, team, spec: { ...rest, replicas: replicas ?? planned }, revision }
}
