// Secrets on their way to a job: files that only the job's user reads, in a directory of their own in the directory of the run or replica. They
// are written before the job can look for them and removed when it is over. What the scheduler is told names the files, never a value.

import { join } from 'node:path'
import { IronlawError } from '@ironlaw/contracts'
import { SECRETS_DIRECTORY_VARIABLE, type SecretReferences, SECRETS_VARIABLE } from '@ironlaw/contracts/secrets'
import type { SharedStorage, StorageAway } from '../storage/shared-storage.ts'
import type { ProjectSecrets } from './project-secrets.ts'

export type Courier = { readonly storage: Pick<SharedStorage, 'perform'>; readonly secrets: Pick<ProjectSecrets, 'valuesOf'> }

export type Delivery = {
  /** Of the run or replica; its owner is the job's user, and becomes that of the files. */
  readonly directory: string
  readonly project: string
  readonly references: SecretReferences
}

/** `isMissing`: a secret is not there, and waiting alone does not bring it. */
export type Withheld = StorageAway & { readonly isMissing?: true }

/** What jobs use, and what the control plane can do, to have them and to lose them. */
export type JobSecrets = {
  /** Why they cannot be delivered now. */
  readonly provide: (delivery: Delivery) => Promise<Withheld | undefined>
  /** True when nothing is left there. */
  readonly remove: (directory: string) => Promise<boolean>
}

export const jobSecrets = (courier: Courier): JobSecrets => ({
  provide: (delivery) => deliver(courier, delivery),
  remove: async (directory) => 'value' in (await courier.storage.perform('removeFolder', { directory: secretsDirectory(directory) })),
})

const secretsDirectory = (directory: string): string => join(directory, 'secrets')

/** By the job's launcher, which reads the files, and for programs that read them by themselves. */
export function secretVariables(directory: string, references: SecretReferences = {}): Readonly<Record<string, string>> {
  const names = Object.keys(references)
  if (names.length === 0) return {}
  const folder = secretsDirectory(directory)
  return {
    [SECRETS_DIRECTORY_VARIABLE]: folder,
    [SECRETS_VARIABLE]: names.join(','),
    ...Object.fromEntries(names.map((name) => [`${name}_FILE`, join(folder, name)])),
  }
}

async function deliver({ storage, secrets }: Courier, { directory, project, references }: Delivery): Promise<Withheld | undefined> {
  const names = Object.values(references)
  if (names.length === 0) return undefined
  const values = await orAway(secrets.valuesOf(project, names))
  if ('away' in values) return values
  const missing = names.filter((name) => !values.found.has(name))
  if (missing.length > 0)
    return {
      away: `project ${project} no longer has ${missing.join(', ')}; set it with "ironlaw secret set ${missing[0]} --project ${project}"`,
      isMissing: true,
    }
  const files = Object.entries(references).map(([name, secret]) => ({ name, text: values.found.get(secret) ?? '' }))
  const written = await storage.perform('writeSecrets', { directory: secretsDirectory(directory), files })
  return 'away' in written ? written : undefined
}

/** A key that is missing may be put back: the job waits for it. */
async function orAway(values: ReturnType<ProjectSecrets['valuesOf']>): Promise<{ readonly found: Awaited<typeof values> } | StorageAway> {
  try {
    return { found: await values }
  } catch (cause) {
    if (cause instanceof IronlawError && cause.code === 'IL_SECRETS_KEY') return { away: cause.message }
    throw cause
  }
}

type Reference = { readonly project: string; readonly references: SecretReferences | undefined; readonly path: string }

/** Refuses what names a secret that is not there, with the field. */
export async function requireSecrets(secrets: Pick<ProjectSecrets, 'list'>, { project, references = {}, path }: Reference): Promise<void> {
  const wanted = Object.entries(references)
  if (wanted.length === 0) return
  const known = new Set((await secrets.list(project)).map(({ name }) => name))
  const missing = wanted.find(([, name]) => !known.has(name))
  if (!missing) return
  const [variable, name] = missing
  throw new IronlawError(
    'IL_INVALID',
    { path: `${path}.${variable}`, problem: `project ${project} has no secret "${name}"` },
    {
      next: `set it: "ironlaw secret set ${name} --project ${project} < FILE"; "ironlaw secret list --project ${project}" shows what there is`,
    },
  )
}
