// A storage and the tables of the collection in memory, of which every call waits for its turn. The test decides whose turn it is, and who
// crashes: an actor that crashed never goes on, its transaction is undone, its lock is free, and a removal it had sent may take effect later.

import type { ObjectStorage, StoredObject } from '@ironlaw/artifacts'
import type { Artifact, CollectedObject, NewArtifact } from '@ironlaw/store'
import type { CollectionTables } from '../src/artifacts/collection-tables.ts'

type Call = { readonly actor: string; readonly isRemoval: boolean; readonly go: () => void; readonly apply: () => void }

type Row = { readonly id: string; sequence: number; needed: boolean }

/** Undoes what a transaction did. */
type Transaction = { readonly actor: string; readonly undo: (() => void)[] }

/** What a test may break. */
export type PlantedFault =
  | 'no second look'
  | 'claim after removal'
  | 'no reading of new artifacts'
  | 'highest without lock'
  | 'claims are not waited for'

const HOUR_S = 3600

export class SteppedWorld {
  at = 1_000_000
  readonly objects = new Map<string, { readonly content: Buffer; readonly modified_at: number }>()
  readonly rows = new Map<string, Row>()
  readonly #collected = new Map<string, CollectedObject>()
  readonly #waiting: Call[] = []
  readonly #crashed = new Set<string>()
  /** Removals of actors that have crashed. */
  #underWay: { readonly apply: () => void; readonly until_at: number }[] = []
  readonly #holders = new Map<Transaction, 'shared' | 'alone'>()
  readonly #random: () => number
  readonly #fault: PlantedFault | undefined
  #sequence = 0

  constructor(random: () => number, fault?: PlantedFault) {
    this.#random = random
    this.#fault = fault
  }

  readonly now = (): number => this.at

  #below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  /** Waits for a turn, then does something at once. */
  #turn<T>(actor: string, act: () => T, isRemoval = false): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const go = (): void => {
      try {
        resolve(act())
      } catch (cause) {
        reject(cause)
      }
    }
    if (!this.#crashed.has(actor)) this.#waiting.push({ actor, isRemoval, go, apply: () => void act() })
    return promise
  }

  /** One call, the end of one actor, or time that passes. False when nobody waits. */
  step(actors: readonly string[]): boolean {
    const late = this.#underWay.findIndex(({ until_at }) => until_at <= this.at)
    if (late >= 0 || (this.#underWay.length > 0 && this.#random() < 0.2)) {
      const [removal] = this.#underWay.splice(Math.max(late, 0), 1)
      removal?.apply()
      return true
    }
    const chance = this.#random()
    if (chance < 0.004) this.#crash(actors[this.#below(actors.length)] ?? '')
    else if (chance < 0.06) this.#passTime()
    if (this.#waiting.length === 0) return this.#underWay.length > 0
    const [call] = this.#waiting.splice(this.#below(this.#waiting.length), 1)
    call?.go()
    return true
  }

  #passTime(): void {
    // The database ends a transaction that is idle for long, so time does not leap inside one that removes.
    const isRemoving = [...this.#holders.values()].includes('alone')
    const leaps = [5, 90, 700, 2 * HOUR_S, 25 * HOUR_S]
    this.at += isRemoving ? 1 : (leaps[this.#below(leaps.length)] ?? 1)
  }

  #crash(actor: string): void {
    this.#crashed.add(actor)
    for (const call of this.#waiting.splice(0)) {
      if (call.actor !== actor) this.#waiting.push(call)
      else if (call.isRemoval && this.#random() < 0.7) this.#underWay.push({ apply: call.apply, until_at: this.at + 300 })
    }
    for (const transaction of this.#holders.keys()) if (transaction.actor === actor) this.#end(transaction, 'undone')
  }

  #end(transaction: Transaction, how: 'committed' | 'undone'): void {
    if (how === 'undone') for (const undo of transaction.undo.toReversed()) undo()
    this.#holders.delete(transaction)
  }

  storageOf(actor: string): ObjectStorage {
    const put = (key: string, content: Uint8Array): void =>
      void this.objects.set(key, { content: Buffer.from(content), modified_at: this.at })
    const objects = this.objects
    const turn = <T>(act: () => T, isRemoval = false): Promise<T> => this.#turn(actor, act, isRemoval)
    return {
      url: 'memory',
      put: (key, content) => turn(() => put(key, content)),
      putNew: (key, content) => turn(() => (objects.has(key) ? 'exists' : (put(key, content), 'written'))),
      get: (key) => turn(() => objects.get(key)?.content),
      has: (key) => turn(() => objects.has(key)),
      remove: (key) => turn(() => void objects.delete(key), true),
      list: async function* (prefix): AsyncGenerator<StoredObject> {
        for (const key of await turn(() => [...objects.keys()].filter((each) => each.startsWith(prefix)).toSorted())) {
          const object = await turn(() => objects.get(key))
          if (object) yield { key, bytes: object.content.length, modified_at: object.modified_at }
        }
      },
    }
  }

  async #begin(actor: string, lock: 'shared' | 'alone'): Promise<Transaction> {
    const transaction = { actor, undo: [] }
    const isFree = (): boolean => (lock === 'alone' ? this.#holders.size === 0 : ![...this.#holders.values()].includes('alone'))
    while (!(await this.#turn(actor, () => isFree() && this.#holders.set(transaction, lock).size > 0)));
    return transaction
  }

  async #inTransaction<T>(actor: string, lock: 'shared' | 'alone', work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const transaction = await this.#begin(actor, lock)
    try {
      const value = await work(transaction)
      await this.#turn(actor, () => this.#end(transaction, 'committed'))
      return value
    } catch (cause) {
      this.#end(transaction, 'undone')
      throw cause
    }
  }

  #write({ undo }: Pick<Transaction, 'undo'>, row: CollectedObject | undefined, key: string): void {
    const before = this.#collected.get(key)
    if (row) this.#collected.set(key, row)
    else this.#collected.delete(key)
    undo.push(() => (before ? this.#collected.set(key, before) : this.#collected.delete(key)))
  }

  #register({ id }: NewArtifact, { undo }: Transaction): Artifact {
    const known = this.rows.get(id)
    if (!known?.needed) {
      this.#sequence += 1
      const row = { id, sequence: this.#sequence, needed: true }
      this.rows.set(id, row)
      undo.push(() => (known ? this.rows.set(id, known) : this.rows.delete(id)))
    }
    return { id, sequence: this.rows.get(id)?.sequence } as Artifact
  }

  /** Rows of open transactions are not seen by others. */
  readonly #uncommitted = new Map<string, Transaction>()

  tablesOf(actor: string): CollectionTables {
    const turn = <T>(act: () => T): Promise<T> => this.#turn(actor, act)
    const collected = this.#collected
    const needed = ({ after, limit }: { readonly after: number; readonly limit: number }) =>
      turn(() =>
        [...this.rows.values()]
          .filter((row) => row.needed && row.sequence > after && !this.#isOpen(row.id))
          .toSorted((a, b) => a.sequence - b.sequence)
          .slice(0, limit)
          .map(({ id, sequence }) => ({ id, sequence })),
      )
    const highest = () => turn(() => Math.max(0, ...[...this.rows.values()].flatMap((row) => (this.#isOpen(row.id) ? [] : row.sequence))))
    return {
      needed,
      forgetBefore: (at) => turn(() => [...collected.values()].forEach((row) => row.at < at && collected.delete(row.key))),
      claim: ({ keys, claim, at, void_before }) =>
        turn(() =>
          keys.filter((key) => {
            const before = collected.get(key)
            if (before && before.claim !== null && before.at >= void_before) return false
            if (this.#fault !== 'claim after removal') collected.set(key, { key, at, claim })
            return true
          }),
        ),
      registering: (work) =>
        this.#inTransaction(actor, 'shared', (transaction) =>
          work({
            collectedAmong: (keys) =>
              turn(() => {
                const rows = this.#fault === 'no second look' ? [] : keys.flatMap((key) => collected.get(key) ?? [])
                return this.#fault === 'claims are not waited for' ? rows.map((row) => ({ ...row, claim: null })) : rows
              }),
            register: (artifact) =>
              turn(() => {
                if (!this.rows.get(artifact.id)?.needed) this.#uncommitted.set(artifact.id, transaction)
                return this.#register(artifact, transaction)
              }),
            forget: (keys) => turn(() => keys.forEach((key) => this.#write(transaction, undefined, key))),
          }),
        ),
      highest: async () =>
        this.#fault === 'highest without lock' ? await highest() : await this.#inTransaction(actor, 'alone', () => highest()),
      removing: (work) =>
        this.#inTransaction(actor, 'alone', (transaction) =>
          work({
            needed: this.#fault === 'no reading of new artifacts' ? async () => [] : needed,
            claimed: (claim, keys) =>
              turn(() => (this.#fault === 'claim after removal' ? keys : keys.filter((key) => collected.get(key)?.claim === claim))),
            settle: (claim, keys) =>
              turn(() =>
                keys.forEach((key) => {
                  const row = collected.get(key)
                  if (row?.claim === claim) this.#write(transaction, { ...row, claim: null }, key)
                }),
              ),
          }),
        ),
    }
  }

  #isOpen(id: string): boolean {
    const transaction = this.#uncommitted.get(id)
    return transaction !== undefined && this.#holders.has(transaction)
  }

  /** Of what is registered. */
  neededIds(): readonly string[] {
    return [...this.rows.values()].flatMap((row) => (row.needed && !this.#isOpen(row.id) ? row.id : []))
  }

  /** As a person would, between two calls of others. */
  remove(id: string): void {
    const row = this.rows.get(id)
    if (row && !this.#isOpen(id)) row.needed = false
  }
}
