// Storage in which each run and each replica has a directory that belongs to the user of its job. Files below such a directory are read and
// written by a process of that user: a link that a job has made leads it nowhere that the job could not go itself. The directory says whose it
// is; only root can have given it away, because the directories around it are root's.

import { dirname, join, relative, sep } from 'node:path'
import type { OperationAnswer, OperationName } from './operations.ts'
import {
  type SharedStorage,
  sharedStorage,
  STORAGE_LIMITS,
  type StorageAway,
  type StorageResult,
  type StorageUser,
} from './shared-storage.ts'

export type OwnedStorage = SharedStorage & {
  /** Makes it the user's, unless it is somebody else's. */
  readonly own: (directory: string, user: StorageUser) => Promise<StorageAway | undefined>
}

/** Of each user; a user has fewer files to look at than the site. */
const USER_LIMITS = { ...STORAGE_LIMITS, processes: 2 }

/** Owners that are remembered; a forgotten one is looked up again. */
const OWNERS_KEPT = 10_000

/** What there is below a directory that is not there. */
const NOTHING: { readonly [Name in OperationName]?: OperationAnswer<Name> } = {
  read: null,
  readPart: null,
  readAll: [],
  removeFolder: null,
}

export function ownedStorage(report: (problem: string) => void, { runs }: { readonly runs: string }): OwnedStorage {
  const own = sharedStorage(report)
  const pools = new Map<number, SharedStorage>()
  const owners = new Map<string, StorageUser>()

  function poolOf(user: StorageUser): SharedStorage {
    if (user.uid === process.getuid?.()) return own
    const pool = pools.get(user.uid) ?? sharedStorage((problem) => report(`uid ${user.uid}: ${problem}`), USER_LIMITS, user)
    pools.set(user.uid, pool)
    return pool
  }

  async function ownerOf(directory: string): Promise<StorageResult<StorageUser | null>> {
    const known = owners.get(directory)
    if (known) return { value: known }
    const found = await own.perform('ownerOf', { directory })
    if ('value' in found && found.value) remember(directory, found.value)
    return found
  }

  function remember(directory: string, owner: StorageUser): void {
    owners.set(directory, owner)
    const [oldest] = owners.keys()
    if (owners.size > OWNERS_KEPT && oldest !== undefined) owners.delete(oldest)
  }

  return {
    perform: async (name, input) => {
      const directory = ownedDirectory(runs, 'file' in input ? dirname(input.file) : input.directory)
      if (directory === undefined) return own.perform(name, input)
      const owner = await ownerOf(directory)
      if ('away' in owner) return owner
      if (owner.value) return poolOf(owner.value).perform(name, input)
      const nothing = NOTHING[name]
      return nothing === undefined ? { away: `${directory} is not there` } : { value: nothing }
    },
    own: async (directory, user) => {
      const owned = await own.perform('own', { directory, uid: user.uid, gid: user.gid })
      if ('away' in owned) return owned
      remember(directory, { uid: user.uid, gid: user.gid })
      return undefined
    },
    stuck: () => [own, ...pools.values()].reduce((sum, pool) => sum + pool.stuck(), 0),
    close: () => [own, ...pools.values()].forEach((pool) => pool.close()),
  }
}

/** That of the run or the replica in which a folder lies; undefined for `runs` itself. */
function ownedDirectory(runs: string, folder: string): string | undefined {
  const [first = '', second = ''] = relative(runs, folder).split(sep)
  if (first === '' || first === '..' || first.startsWith('.')) return undefined
  if (first !== REPLICAS) return join(runs, first)
  return second === '' ? undefined : join(runs, first, second)
}

const REPLICAS = 'replicas'
