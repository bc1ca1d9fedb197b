// A database that was rewritten by whoever owns it, so well that its chains verify, contradicts the heads that were sent elsewhere.

import { hash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canonicalJson } from '@ironlaw/contracts'
import { CHAIN_HEAD, type ChainHead } from '@ironlaw/contracts/audit-api'
import { appendEvents, contradictedHeads, type Database, eventsOf, verifyChain } from '@ironlaw/store'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BED_TIMEOUT_MS } from '../../test/api-bed.ts'
import { emptiedDatabase } from '../../test/emptied-database.ts'
import { accessTrail } from '../access/access-trail.ts'
import { startAuditSending } from './audit-sending.ts'
import { auditTargets } from './audit-target.ts'

let database: Database
let folder = ''
beforeEach(async () => {
  database = await emptiedDatabase()
  folder = mkdtempSync(join(tmpdir(), 'ironlaw-heads-'))
}, BED_TIMEOUT_MS)
afterEach(() => rmSync(folder, { recursive: true }))

const STREAM = 'run/r1'
const happened = (kind: string) => ({ kind, actor: 'ada', at: 1000, body: { why: kind } })

type Sent = ReturnType<typeof startAuditSending>

const sendingTo = (file: string): Sent =>
  startAuditSending({ database, targets: auditTargets(`file:${file}`), now: () => 2000, logProblem: (problem) => expect(problem).toBe('') })

function headsIn(file: string): readonly ChainHead[] {
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((text) => CHAIN_HEAD.parse(JSON.parse(text)))
}

/** Heads of two runs and of one change through the API. */
async function sendSome(file: string): Promise<void> {
  const sending = sendingTo(file)
  await appendEvents(database, STREAM, [happened('first'), happened('second'), happened('third')])
  await sending.sendHeads()
  await appendEvents(database, 'run/r2', [happened('first')])
  const trail = accessTrail({ database, now: () => 1000, logProblem: () => undefined, onStored: sending.sendAccess })
  const access = { at: 1000, who: 'ada', from: '127.0.0.1', operation: 'cancelRun', object: 'r2', status: 200, request: 'x' }
  await trail.recordChange(access)
  await trail.close()
  await sending.close()
}

async function rewritten(change: () => Promise<unknown>): Promise<void> {
  await sql`alter table events disable trigger events_append_only`.execute(database)
  await change()
  await sql`alter table events enable trigger events_append_only`.execute(database)
}

/** Another history of a stream, with hashes that fit. */
async function forge(stream: string): Promise<void> {
  let previous_hash = ''
  for (const { sequence, at, kind, body } of await eventsOf(database, stream, { after: 0, limit: 100 })) {
    const link = { stream, sequence, at, kind, actor: 'eve', previous_hash }
    const made = hash('sha256', canonicalJson({ ...link, body }))
    await database
      .updateTable('events')
      .set({ actor: 'eve', previous_hash, hash: made })
      .where('stream', '=', stream)
      .where('sequence', '=', sequence)
      .execute()
    previous_hash = made
  }
}

test('heads of every chain and each record of access are sent, those that changed again', async () => {
  const file = join(folder, 'audit.jsonl')
  await sendSome(file)
  expect(headsIn(file).map(({ stream, sequence }) => [stream, sequence])).toEqual([
    [STREAM, 3],
    ['access/1970-01-01', 1],
    ['run/r2', 1],
    ['access/1970-01-01', 1],
  ])
  expect(await contradictedHeads(database, headsIn(file))).toEqual([])
  const again = join(folder, 'again.jsonl')
  await sendingTo(again).close()
  expect(headsIn(again)).toHaveLength(3)
})

test('a chain that was rewritten as a whole verifies in itself and not against its heads', async () => {
  const file = join(folder, 'audit.jsonl')
  await sendSome(file)
  await rewritten(() => forge(STREAM))
  expect(await verifyChain(database, STREAM)).toMatchObject({ intact: true, events: 3 })
  expect(await contradictedHeads(database, headsIn(file))).toMatchObject([{ stream: STREAM, sequence: 3, problem: 'altered' }])
  // Heads that were sent afterwards do not hide it.
  await sendingTo(file).close()
  expect(await contradictedHeads(database, headsIn(file))).toMatchObject([{ stream: STREAM, sequence: 3, problem: 'altered' }])
})

test('a chain that was cut off verifies in itself and not against its head', async () => {
  const file = join(folder, 'audit.jsonl')
  await sendSome(file)
  await rewritten(() => database.deleteFrom('events').where('stream', '=', STREAM).where('sequence', '=', 3).execute())
  expect(await verifyChain(database, STREAM)).toMatchObject({ intact: true, events: 2 })
  expect(await contradictedHeads(database, headsIn(file))).toMatchObject([{ stream: STREAM, sequence: 3, problem: 'missing' }])
})

test('an emptied database lacks everything that was sent', async () => {
  const file = join(folder, 'audit.jsonl')
  await sendSome(file)
  await rewritten(() => sql`truncate events`.execute(database))
  const missing = await contradictedHeads(database, headsIn(file))
  expect(missing).toHaveLength(headsIn(file).length)
  expect(new Set(missing.map(({ problem }) => problem))).toEqual(new Set(['missing']))
})
