// One suite, both databases: PostgreSQL in this process, and a real server.

import { afterAll, beforeAll, describe } from 'vitest'
import { type Database, openPostgres } from '../src/database.ts'
import { migrate } from '../src/migrate.ts'
import { openEmptyEmbedded } from './empty-embedded.ts'
import { SERVER_ABSENT, startPrivateServer } from './private-server.ts'

/** Stands for the database of the suite, which is open only while its tests run. */
export type OpenedDatabase = { readonly database: Database; readonly url?: string }

type ClosableDatabase = { readonly opened: OpenedDatabase; readonly close: () => Promise<void> }

const START_TIMEOUT_MS = 60_000

/** `contended` runs on the server only: one connection cannot show it. */
export function onEachDatabase(
  suite: (opened: () => OpenedDatabase) => void,
  contended: (opened: () => OpenedDatabase) => void = () => undefined,
): void {
  describe('embedded', () => suite(openDuringSuite(openEmbeddedForSuite)))
  onServer((opened) => {
    suite(opened)
    contended(opened)
  })
}

export function onServer(suite: (opened: () => OpenedDatabase) => void): void {
  const skipped = SERVER_ABSENT === undefined ? '' : ` (${SERVER_ABSENT})`
  describe.skipIf(SERVER_ABSENT !== undefined)(`server${skipped}`, () => suite(openDuringSuite(openEmptyServer)))
}

function openDuringSuite(open: () => Promise<ClosableDatabase>): () => OpenedDatabase {
  let current: ClosableDatabase | undefined
  beforeAll(async () => {
    current = await open()
    await migrate(current.opened.database)
  }, START_TIMEOUT_MS)
  afterAll(() => current?.close(), START_TIMEOUT_MS)
  return () => {
    if (!current) throw new Error('the database is open only inside a test')
    return current.opened
  }
}

async function openEmbeddedForSuite(): Promise<ClosableDatabase> {
  const database = await openEmptyEmbedded()
  return { opened: { database }, close: () => database.destroy() }
}

async function openEmptyServer(): Promise<ClosableDatabase> {
  const server = await startPrivateServer()
  const database = openPostgres(server.url, { max: 16 })
  const close = async (): Promise<void> => {
    await database.destroy()
    await server.stop()
  }
  return { opened: { database, url: server.url }, close }
}
