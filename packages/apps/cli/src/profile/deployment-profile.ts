// `ironlaw profile --of`: what gateways counted of the answers of a deployment, shown, written, or frozen as the baseline of the version that gave them.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { IronlawError } from '@ironlaw/contracts'
import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import type { Profile } from '@ironlaw/contracts/profile'
import type { DeploymentProfile } from '@ironlaw/contracts/profile-api'
import { LEAST_SHOWN } from '@ironlaw/policies/profile'
import { counted, parse } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { api } from '../api/api-client.ts'
import { addRegistered, siteArtifacts } from '../artifact/add-artifact.ts'
import { context } from '../context/context.ts'
import { showClock } from '../run/run-text.ts'
import { wholeNumber } from '../whole-number.ts'
import { checkTarget, profileText, writeProfile } from './profile-text.ts'

export type ServedFlags = {
  readonly since?: string
  readonly revision?: string
  readonly class?: string
  readonly to?: string
  readonly freeze?: string
}

const USUAL_SINCE = '24h'

export async function deploymentProfileAnswer(name: string, flags: ServedFlags): Promise<CommandAnswer> {
  checkTarget(flags.to)
  const span = parse(flags.since ?? USUAL_SINCE, 's')
  if (!span.ok) throw new IronlawError('IL_QUANTITY', { name: '--since', reason: span.reason })
  const deployment = await api(context()).getDeployment({ name })
  const revision = flags.revision === undefined ? undefined : wholeNumber('--revision', flags.revision)
  const only = flags.freeze === undefined ? revision : (revision ?? deployment.stable)
  const query = {
    from_at: Math.max(0, Date.now() / 1000 - span.value),
    ...(only !== undefined && { revision: only }),
    ...(flags.class !== undefined && { class: flags.class }),
  }
  const served = await api(context()).getDeploymentProfile({ name, query })
  const { profile, reason } = served
  if (!profile && (flags.to ?? flags.freeze) !== undefined)
    throw new IronlawError(
      'IL_CONFLICT',
      { problem: `there is no profile of "${name}" yet: ${reason ?? 'nothing was counted'}` },
      { next: 'choose a longer time with --since, or wait for more answers' },
    )
  if (profile && flags.to !== undefined) await writeProfile(flags.to, profile)
  const frozen =
    profile && flags.freeze !== undefined && only !== undefined
      ? await freeze(flags.freeze, { deployment, only, served, profile })
      : undefined
  return {
    json: { ...served, ...(frozen && { baseline: frozen }) },
    text: () =>
      [
        ...servedText(served, { revision: only, class: flags.class }),
        ...(flags.to === undefined ? [] : ['', `wrote ${flags.to}`]),
        ...(frozen ? ['', frozen.text] : []),
      ].join('\n'),
  }
}

type Freezing = {
  readonly deployment: DeploymentView
  /** The revision that gave the answers. */
  readonly only: number
  readonly served: DeploymentProfile
  readonly profile: Profile
}

async function freeze(
  name: string,
  { deployment, only, served, profile }: Freezing,
): Promise<{ readonly id: string; readonly text: string }> {
  const { project } = deployment
  const version = deployment.revisions.find(({ number }) => number === only)?.version
  if (!version)
    throw new IronlawError(
      'IL_CONFLICT',
      { problem: `revision ${only} of "${deployment.name}" names no version of a model, which the baseline would belong to` },
      { next: 'name the version in the spec (deploy.version), or write the profile with --to' },
    )
  const folder = await mkdtemp(join(tmpdir(), 'ironlaw-profile-'))
  try {
    const file = join(folder, 'profile.json')
    await writeProfile(file, profile)
    const facts = {
      model: version.artifact,
      deployment: deployment.name,
      revision: only,
      from_at: served.from_at,
      to_at: served.to_at,
      rows: profile.rows,
    }
    const { id } = await addRegistered(await siteArtifacts(), { directory: file, type: 'profile', facts }, (manifest) =>
      api(context()).registerArtifact({ project, body: { manifest, name } }),
    )
    return { id, text: `${name} points at it, and it is the baseline of the version that revision ${only} serves` }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

type Chosen = { readonly revision: number | undefined; readonly class: string | undefined }

function servedText({ deployment, profile, reason, ...served }: DeploymentProfile, chosen: Chosen): readonly string[] {
  const { from_at, to_at, revisions, classes, gateways } = served
  const head = `${deployment}, ${showClock(from_at)} to ${showClock(to_at)}`
  if (!profile) return [`${head}: ${reason ?? 'nothing was counted'}`]
  const of = [
    ...(chosen.revision === undefined ? revisions : [chosen.revision]).map((revision) => `revision ${revision}`),
    ...(chosen.class === undefined ? classes : [chosen.class]).map((each) => `class ${each}`),
  ]
  return [
    `${head}: ${counted(profile.rows, 'answer')} of ${of.join(', ')}, counted by ${counted(gateways, 'gateway')}; counts below ${LEAST_SHOWN} are joined to others`,
    ...profileText(profile),
  ]
}
