// Resolves a name to a run, by id or name, or to a deployment.

import { IronlawError } from '@ironlaw/contracts'
import type { RunView } from '@ironlaw/contracts/api'
import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import { api, find } from '../api/api-client.ts'
import type { Context } from '../context/context.ts'
import { findNewestRun } from '../run/find-run.ts'

export type Subject = { readonly kind: 'run'; readonly run: RunView } | { readonly kind: 'deployment'; readonly deployment: DeploymentView }

/** If a run and a deployment share a name, "run/NAME" and "deployment/NAME" distinguish them. */
const QUALIFIED = /^(run|deployment)\/(.+)$/

export async function findSubject(to: Context, text: string): Promise<Subject> {
  const [, kind, name = text] = QUALIFIED.exec(text) ?? []
  const [run, deployment] = await Promise.all([
    kind === 'deployment' ? undefined : findNewestRun(to, name),
    kind === 'run' ? undefined : find(api(to).getDeployment({ name })),
  ])
  if (run && deployment)
    throw new IronlawError('IL_USAGE', {
      problem: `"${name}" is a run and a deployment; say "run/${name}" or "deployment/${name}"`,
      command: 'describe',
    })
  if (run) return { kind: 'run', run }
  if (deployment) return { kind: 'deployment', deployment }
  throw new IronlawError('IL_UNKNOWN_RUN', { kind: 'run or deployment', name })
}
