// A client of `pg` whose server is PostgreSQL inside this process: no socket, no other process to wait for, and statements that are
// prepared once, which Kysely's own dialect for it does not do.

import { Duplex } from 'node:stream'
import { PGlite } from '@electric-sql/pglite'
import { Client, types } from 'pg'
import { Kysely, PGliteDialect } from 'kysely'
import { migrate } from '../src/migrate.ts'
import type { Tables } from '../src/tables.ts'
import { emptyDump } from './empty-embedded.ts'

/** `AuthenticationOk` and `ReadyForQuery`, which is how a server answers the first message. */
const WELCOME = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])

class Line extends Duplex {
  readonly #pglite: PGlite
  #isWelcomed = false

  constructor(pglite: PGlite) {
    super()
    this.#pglite = pglite
  }

  override _read(): void {}

  override _write(message: Buffer, _: string, done: () => void): void {
    this.#answer(message)
    done()
  }

  override _writev(messages: { readonly chunk: Buffer }[], done: () => void): void {
    this.#answer(Buffer.concat(messages.map(({ chunk }) => chunk)))
    done()
  }

  #answer(message: Buffer): void {
    this.push(this.#isWelcomed ? Buffer.from(this.#pglite.execProtocolRawSync(message)) : WELCOME)
    this.#isWelcomed = true
  }

  // What `pg` calls on a socket besides the messages.
  connect(): void {
    process.nextTick(() => this.emit('connect'))
  }
  setNoDelay(): void {}
  setKeepAlive(): void {}
  ref(): void {}
  unref(): void {}
}

/** With the newest schema, and nothing else in it. */
export async function embeddedClient(): Promise<Client> {
  const pglite = await PGlite.create({ loadDataDir: await emptyDump() })
  const database = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) })
  await migrate(database)
  const client = new Client({
    user: 'postgres',
    stream: () => new Line(pglite),
    types: { getTypeParser: (oid, format) => (oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format)) },
  })
  await client.connect()
  return client
}
