import { hash } from 'node:crypto'
import { canonicalJson } from '@ironlaw/contracts'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { onEachDatabase } from '../test/each-database.ts'
import { event, freshId } from '../test/samples.ts'
import { type Database, openPostgres } from './database.ts'
import { appendEvents, eventsOf, feedAfter, type FeedCursor, feedEnd, verifyChain } from './events.ts'

const ALL = { after: 0, limit: 1000 }

/** What a user with the rights of the owner could do. */
async function tamper(database: Database, change: string): Promise<void> {
  await sql`alter table events disable trigger events_append_only`.execute(database)
  await sql.raw(change).execute(database)
  await sql`alter table events enable trigger events_append_only`.execute(database)
}

onEachDatabase(
  (opened) => {
    test('each event carries the hash of the one before, and its own over canonical JSON', async () => {
      const { database } = opened()
      const stream = freshId('stream')
      await appendEvents(database, stream, [event('first'), { ...event('second', 0.1), body: { z: 1e-7, a: ['\u0000', -0, 1e21] } }])
      await appendEvents(database, stream, [event('third')])
      const events = await eventsOf(database, stream, ALL)
      expect(events.map(({ kind, sequence }) => [sequence, kind])).toEqual([
        [1, 'first'],
        [2, 'second'],
        [3, 'third'],
      ])
      const [first, second] = events
      expect(second?.previous_hash).toBe(first?.hash)
      const text = canonicalJson({ actor: 'ada', at: 1000, body: { why: 'first' }, kind: 'first', previous_hash: '', sequence: 1, stream })
      expect(first?.hash).toBe(hash('sha256', text))
      expect(await verifyChain(database, stream)).toEqual({ intact: true, events: 3, head: events[2]?.hash })
    })

    test.each(['update events set at = 0', 'delete from events', 'truncate events'])('the table refuses: %s', async (statement) => {
      await expect(sql.raw(statement).execute(opened().database)).rejects.toThrow('events are append-only')
    })

    test.each([
      ['body', `update events set body = '{}' where sequence = 2`, 'altered', 2],
      ['actor', `update events set actor = 'eve' where sequence = 2`, 'altered', 2],
      ['time', `update events set at = at + 1 where sequence = 3`, 'altered', 3],
      ['missing event', 'delete from events where sequence = 2', 'missing', 2],
    ])('an altered chain shows: %s', async (_, change, problem, sequence) => {
      const { database } = opened()
      const stream = freshId('stream')
      await appendEvents(database, stream, [event('first'), event('second'), event('third')])
      await tamper(database, `${change} and stream = '${stream}'`)
      expect(await verifyChain(database, stream)).toEqual({ intact: false, sequence, problem })
    })

    test('the feed goes over all streams, in pages, and from where it stands now', async () => {
      const { database } = opened()
      const start = await feedEnd(database)
      const [a, b] = [freshId('stream'), freshId('stream')]
      for (const stream of [a, b, a]) await appendEvents(database, stream, [event('x'), event('y')])
      const first = await feedAfter(database, start, 4)
      const rest = await feedAfter(database, first.at(-1) ?? start, 4)
      expect([...first, ...rest].map(({ stream, sequence }) => [stream, sequence])).toEqual([
        [a, 1],
        [a, 2],
        [b, 1],
        [b, 2],
        [a, 3],
        [a, 4],
      ])
    })
  },
  (opened) => {
    test('8 writers at once keep one chain', async () => {
      const { database } = opened()
      const stream = freshId('stream')
      await Promise.all(
        Array.from({ length: 8 }, async (_, writer) => {
          for (let each = 0; each < 50; each += 1) await appendEvents(database, stream, [event(`w${writer}-${each}`)])
        }),
      )
      expect(await verifyChain(database, stream)).toMatchObject({ intact: true, events: 400 })
    })

    test('a transaction that commits late is not skipped, whichever of the two drew its number first', async () => {
      const { database, url = '' } = opened()
      const late = openPostgres(url, { max: 1 })
      for (const eventFirst of [true, false]) {
        const start = await feedEnd(database)
        const [slow, fast] = [freshId('slow'), freshId('fast')]
        const { promise: go, resolve: commit } = Promise.withResolvers<void>()
        const { promise: open, resolve: opened } = Promise.withResolvers<void>()
        const slowly = late.transaction().execute(async (transaction) => {
          await sql`select pg_current_xact_id()`.execute(transaction)
          if (eventFirst) await appendEvents(transaction, slow, [event('late')])
          opened()
          await go
          if (!eventFirst) await appendEvents(transaction, slow, [event('late')])
        })
        await open
        await appendEvents(database, fast, [event('early')])
        expect(await feedAfter(database, start, 10)).toEqual([])
        commit()
        await slowly
        expect((await feedAfter(database, start, 10)).map(({ stream }) => stream)).toEqual([slow, fast])
      }
      await late.destroy()
    })

    test('a reader that follows while 8 writers commit in any order sees every event once', async () => {
      const { database } = opened()
      let cursor: FeedCursor = await feedEnd(database)
      const seen: string[] = []
      const follow = async (): Promise<void> => {
        for (const { stream, sequence, transaction_id, feed } of await feedAfter(database, cursor, 7)) {
          seen.push(`${stream}/${sequence}`)
          cursor = { transaction_id, feed }
        }
      }
      const streams = Array.from({ length: 8 }, () => freshId('stream'))
      const still = { writing: true }
      const writers = Promise.all(
        streams.map(async (stream, writer) => {
          for (let each = 0; each < 40; each += 1)
            await database.transaction().execute(async (transaction) => {
              await appendEvents(transaction, stream, [event('x'), event('y')])
              await sql`select pg_sleep(${((each * 7 + writer * 3) % 10) / 2000})`.execute(transaction)
            })
        }),
      ).then(() => (still.writing = false))
      while (still.writing) await follow()
      await writers
      for (let before = -1; before !== seen.length;) {
        before = seen.length
        await follow()
      }
      const written = streams.flatMap((stream) => Array.from({ length: 80 }, (_, index) => `${stream}/${index + 1}`))
      expect(seen.toSorted()).toEqual(written.toSorted())
    })
  },
)
