// What registration and collection need of the database. A seam, so that a test can step through every call of both in any order.

import {
  type Artifact,
  type ArtifactAuthor,
  claimedObjects,
  claimObjects,
  collectedAmong,
  type CollectedObject,
  type Database,
  forgetCollected,
  forgetCollectedBefore,
  highestArtifact,
  inTransaction,
  lockCollection,
  lockCollectionAlone,
  neededArtifacts,
  type NewArtifact,
  registerArtifact,
  settleClaim,
} from '@ironlaw/store'

export type NeededArtifact = Pick<Artifact, 'id' | 'sequence'>

type NeededPage = { readonly after: number; readonly limit: number }

export type OpenRegistration = {
  readonly collectedAmong: (keys: readonly string[]) => Promise<readonly CollectedObject[]>
  readonly register: (artifact: NewArtifact, author: ArtifactAuthor) => Promise<Artifact>
  readonly forget: (keys: readonly string[]) => Promise<void>
}

export type OpenRemoval = {
  readonly needed: (page: NeededPage) => Promise<readonly NeededArtifact[]>
  readonly claimed: (claim: string, keys: readonly string[]) => Promise<readonly string[]>
  readonly settle: (claim: string, keys: readonly string[]) => Promise<void>
}

export type CollectionTables = {
  /** In one transaction, under the lock that registrations share. */
  readonly registering: <T>(work: (open: OpenRegistration) => Promise<T>) => Promise<T>
  /** In one transaction, under the lock held alone. */
  readonly removing: <T>(work: (open: OpenRemoval) => Promise<T>) => Promise<T>
  /** The sequence up to which nobody registers any more, read under the lock held alone. */
  readonly highest: () => Promise<number>
  readonly needed: OpenRemoval['needed']
  readonly claim: (claim: Parameters<typeof claimObjects>[1]) => Promise<readonly string[]>
  readonly forgetBefore: (at: number) => Promise<void>
}

export const collectionTables = (database: Database): CollectionTables => ({
  registering: (work) =>
    inTransaction(database, async (transaction) => {
      await lockCollection(transaction)
      return work({
        collectedAmong: (keys) => collectedAmong(transaction, keys),
        register: (artifact, author) => registerArtifact(transaction, artifact, author),
        forget: (keys) => forgetCollected(transaction, keys),
      })
    }),
  removing: (work) =>
    inTransaction(database, async (transaction) => {
      await lockCollectionAlone(transaction)
      return work({
        needed: (page) => neededArtifacts(transaction, page),
        claimed: (claim, keys) => claimedObjects(transaction, claim, keys),
        settle: (claim, keys) => settleClaim(transaction, claim, keys),
      })
    }),
  highest: () =>
    inTransaction(database, async (transaction) => {
      await lockCollectionAlone(transaction)
      return highestArtifact(transaction)
    }),
  needed: (page) => neededArtifacts(database, page),
  claim: (claim) => claimObjects(database, claim),
  forgetBefore: (at) => forgetCollectedBefore(database, at),
})
