// The secrets of projects: set, listed by name, removed, opened for a job that names them. A value leaves this process only into a job's files.

import { IronlawError } from '@ironlaw/contracts'
import type { SecretView } from '@ironlaw/contracts/secrets'
import {
  allVersions,
  type Database,
  newestSecrets,
  putSecret,
  removeSecret,
  rewrapSecrets,
  sealingKeys,
  type SecretName,
  secretsMark,
  type SecretVersion,
} from '@ironlaw/store'
import type { KeySource } from './key-file.ts'
import { open, rewrap, seal } from './seal.ts'

type Author = { readonly actor: string; readonly at: number }

export type KeyRotation = Author & {
  /** Not a new key, but the one that is first in the file. */
  readonly rewrapOnly: boolean
  readonly forgetOld: boolean
}

export type RotatedKey = { readonly key: string; readonly rewrapped: number; readonly keys: number }

export type ProjectSecrets = {
  readonly set: (secret: SecretName & { readonly value: string }, author: Author) => Promise<SecretView>
  readonly list: (project: string) => Promise<readonly SecretView[]>
  readonly remove: (secret: SecretName, author: Author) => Promise<void>
  /** The newest values of those that there are, by name. */
  readonly valuesOf: (project: string, names: readonly string[]) => Promise<ReadonlyMap<string, string>>
  /** Every value that a job of the project may have been given, newest and before. */
  readonly knownValues: (project: string) => Promise<readonly string[]>
  readonly rotateKey: (rotation: KeyRotation) => Promise<RotatedKey>
}

/** More of them would make every line of a log slow to check. */
export const MOST_SECRETS = 100

export function projectSecrets(database: Database, keys: KeySource): ProjectSecrets {
  const known = new Map<string, { readonly mark: string; readonly values: readonly string[] }>()
  return {
    list: async (project) => (await newestSecrets(database, project)).map(secretView),
    set: async ({ project, name, value }, author) => {
      const others = (await newestSecrets(database, project)).filter((each) => each.name !== name)
      if (others.length >= MOST_SECRETS)
        throw new IronlawError('IL_LIMIT', {
          what: `secrets of project ${project}`,
          limit: MOST_SECRETS,
          next: 'delete some of them first',
        })
      const made = await putSecret(database, {
        project,
        name,
        seal: async (version) => seal(await keys.read(), { project, name, version }, value),
        event: { kind: 'secret-set', ...author },
      })
      return secretView(made)
    },
    remove: async (secret, author) => {
      const removed = await removeSecret(database, { ...secret, event: { kind: 'secret-deleted', ...author } })
      if (removed === 'unknown') throw new IronlawError('IL_NOT_FOUND', { kind: 'secret', id: secret.name })
    },
    valuesOf: async (project, names) => {
      if (names.length === 0) return new Map()
      const rows = (await newestSecrets(database, project)).filter(({ name }) => names.includes(name))
      const keyring = await keys.read()
      return new Map(await Promise.all(rows.map(async (row) => [row.name, await open(keyring, row)] as const)))
    },
    knownValues: async (project) => {
      const mark = await secretsMark(database, project)
      const last = known.get(project)
      if (last?.mark === mark) return last.values
      const rows = await allVersions(database, project)
      const keyring = rows.length === 0 ? undefined : await keys.read()
      const values = keyring ? await Promise.all(rows.map((row) => open(keyring, row))) : []
      known.set(project, { mark, values })
      return values
    },
    rotateKey: (rotation) => rotateKey(database, keys, rotation),
  }
}

/** The new key is in the file before anything needs it; the old ones leave it, if at all, after nothing here does. */
async function rotateKey(database: Database, keys: KeySource, rotation: KeyRotation): Promise<RotatedKey> {
  const { actor, at, rewrapOnly, forgetOld } = rotation
  let key = (await keys.read()).sealing.id
  const rewrapped = await rewrapSecrets(database, {
    before: async () => {
      if (!rewrapOnly) await keys.add()
      key = (await keys.read()).sealing.id
    },
    rewrap: async (row) => rewrap(await keys.read(), row),
    event: (count) => ({ kind: 'secrets-key-rotated', actor, at, body: { key, rewrapped: count, forgetOld } }),
  })
  if (forgetOld) {
    const others = (await sealingKeys(database)).filter((id) => id !== key)
    if (others.length > 0)
      throw new IronlawError('IL_CONFLICT', {
        problem: `secrets were sealed with ${others.join(', ')} meanwhile, so no key was forgotten`,
        next: 'give every control plane of this database the same key file, and rotate again',
      })
    await keys.forgetOthers()
  }
  return { key, rewrapped, keys: (await keys.read()).byId.size }
}

const secretView = ({ name, version, created_at, created_by }: SecretVersion): SecretView => ({ name, version, created_at, created_by })

/** For a control plane without keys. */
export const NO_KEYS: KeySource = {
  read: () => Promise.reject(noKeys()),
  add: () => Promise.reject(noKeys()),
  forgetOthers: () => Promise.reject(noKeys()),
}

const noKeys = (): IronlawError =>
  new IronlawError('IL_SECRETS_KEY', { problem: 'this control plane has no key file', next: 'start it with --secrets-key FILE' })
