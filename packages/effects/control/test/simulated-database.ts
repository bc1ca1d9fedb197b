// The store's database over one connection that many simulated processes share: each transaction or single statement is one effect. A
// commit may fail before or after it takes place, at once or after the time limit of a call without an answer.

import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { Database, Tables } from '@ironlaw/store'
import type { Effects, Passage, Process } from './effects.ts'

export type Connection = { readonly query: <Row>(text: string, values: readonly unknown[]) => Promise<Row[]> }

export type Access = { readonly effects: Effects; readonly process: Process; readonly told?: (text: string) => void }

/** Without `access` nothing waits and nothing fails. */
export function simulatedDatabase(connection: Connection, access?: Access): Database {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new EffectDriver(connection, access),
      createIntrospector: (database) => new PostgresIntrospector(database),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}

const LOST = 'the connection to the database was lost'

class EffectDriver implements Driver, DatabaseConnection {
  readonly #connection: Connection
  readonly #access: Access | undefined
  /** One at a time: effects take turns. */
  #passage: Passage | undefined
  #inTransaction = false

  constructor(connection: Connection, access: Access | undefined) {
    this.#connection = connection
    this.#access = access
  }

  async init(): Promise<void> {}
  async destroy(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#access) this.#passage = await this.#access.effects.enter(this.#access.process, 'database')
    return this
  }

  async releaseConnection(): Promise<void> {
    const passage = this.#passage
    this.#passage = undefined
    passage?.leave()
    if (!passage?.isDropped) return
    await this.#access?.effects.delays.overdue()
    throw new Error(LOST)
  }

  async beginTransaction(): Promise<void> {
    await this.#run('begin')
    this.#inTransaction = true
  }

  async commitTransaction(): Promise<void> {
    await this.#atRisk(async () => {
      await this.#run('commit')
      this.#inTransaction = false
    })
  }

  async rollbackTransaction(): Promise<void> {
    if (this.#inTransaction) await this.#run('rollback')
    this.#inTransaction = false
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const work = (): Promise<Row[]> => this.#run<Row>(sql, parameters)
    return { rows: await (this.#inTransaction ? work() : this.#atRisk(work)) }
  }

  streamQuery(): never {
    throw new Error('the store streams nothing')
  }

  async #atRisk<T>(work: () => Promise<T>): Promise<T> {
    if (this.#passage?.isLost('before')) throw new Error(LOST)
    const answer = await work()
    if (this.#passage?.isLost('after')) throw new Error(LOST)
    return answer
  }

  #run<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    this.#access?.told?.(text)
    return this.#connection.query<Row>(text, values)
  }
}
