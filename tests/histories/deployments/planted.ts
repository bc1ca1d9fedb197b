// Bugs that the checker must find, at least one for each thing that it checks, each a broken part passed in where the sound one would be.

import type { GatewaySnapshot } from '@ironlaw/contracts/gateway-snapshot'
import type { Connection } from '../../../packages/effects/control/test/simulated-database.ts'
import { type Filter, type Parts, SOUND } from './parts.ts'

const rewritingConnection =
  (pattern: RegExp, replacement: string): Parts['connection'] =>
  (inner) => ({ query: (text, values) => inner.query(text.replace(pattern, replacement), values) })

/** The snapshot is made of replicas that are not gone; whoever reconciles reads those that went lately as well. */
const isSnapshotRead = (values: readonly unknown[]): boolean => values.includes(Infinity)

/** Replicas that are kept for the way back are read with another value. */
const staleReads =
  (change: string, isMeant: (values: readonly unknown[]) => boolean): Parts['connection'] =>
  (inner) => ({
    query: (text, values) =>
      inner.query(
        isMeant(values)
          ? text.replace(
              /"body" from "replicas"/,
              `case when body ->> 'state' = 'warm' then body || ${change} else body end as "body" from "replicas"`,
            )
          : text,
        values,
      ),
  })

const withFilter = (filter: () => Partial<Filter>): Parts => ({ ...SOUND, filter: () => ({ ...SOUND.filter(), ...filter() }) })

const applyUnguarded = async (connection: Connection, change: string): Promise<void> => {
  await connection.query('set session_replication_role = replica', [])
  await connection.query(change, [])
  await connection.query('set session_replication_role = origin', [])
}

/** Goes back to the first one at every third. */
function backwardsFilter(): Partial<Filter> {
  let first: GatewaySnapshot | undefined
  let count = 0
  return {
    applied: (next) => {
      first ??= next
      count += 1
      return count % 3 === 0 ? { ...first, ...(next.epoch !== undefined && { epoch: next.epoch }) } : next
    },
  }
}

/** Each with a part of the sentence by which it is found, and the seed that finds it if that is not the first. */
export const PLANTED: Readonly<Record<string, { readonly parts: Parts; readonly found: RegExp; readonly seed?: number }>> = {
  'replicas that start are forgotten, and others started': {
    parts: {
      ...SOUND,
      connection: rewritingConnection(/\("state" <> \$2 or/, `("state" not in ('submitting', 'starting')) and ("state" <> $2 or`),
    },
    found: /replicas, at most|no replica stands for it|not reached|never created|after replica/,
  },
  'a write under a lease that somebody else holds by now': {
    parts: { ...SOUND, connection: rewritingConnection(/and "token" = (\$\d+) and "holder" = (\$\d+)/, "and $1::bigint > 0 and $2 <> ''") },
    found: /after replica-|never created|not being tried|no replica stands|not reached|replicas, at most|promoted last/,
    seed: 40,
  },
  'a submission makes two jobs': {
    parts: {
      ...SOUND,
      executor: (inner) => ({
        ...inner,
        submit: async (job) => {
          await inner.submit({ ...job, key: `${job.key}-copy` })
          return inner.submit(job)
        },
      }),
    },
    found: /no replica stands for it/,
  },
  'a replica serves before it is ready': { parts: { ...SOUND, isReady: () => () => true }, found: /never ready/, seed: 23 },
  'no replica is ever seen ready': { parts: { ...SOUND, isReady: () => () => false }, found: /not reached/, seed: 2 },
  'a gateway reports nothing in flight': {
    parts: withFilter(() => ({ reported: (totals) => ({ ...totals, listed: false, running: 0 }) })),
    found: /was stopped with \d+ requests/,
  },
  'a gateway goes on with replicas that left': {
    parts: withFilter(() => ({
      applied: (next, before) => (before ? { ...next, pools: { ...next.pools, ...before.pools }, models: before.models } : next),
    })),
    found: /in contact|rolled back|never ready/,
  },
  'a gateway keeps the targets of a revision that was rolled back': {
    parts: withFilter(() => ({
      applied: (next, before) =>
        before && Object.keys(next.pools).length < Object.keys(before.pools).length
          ? { ...next, pools: { ...before.pools }, models: before.models }
          : next,
    })),
    found: /rolled back [\d.]+ s before|in contact/,
  },
  'gateways go on sending to what is kept for the way back': {
    parts: { ...SOUND, connection: staleReads(`'{"state": "serving"}'::jsonb`, isSnapshotRead) },
    found: /kept without requests/,
    seed: 55,
  },
  'what is kept for the way back stays': {
    parts: {
      ...SOUND,
      tamper: (connection) =>
        connection.query("update deployments set memory = (memory::jsonb - 'kept')::text where memory is not null", []),
    },
    found: /s are stated/,
    seed: 10,
  },
  'what was promoted is rolled back by nobody': {
    parts: { ...SOUND, tamper: (connection) => connection.query('update deployments set stable = 1 where stable <> 1', []) },
    found: /was promoted last/,
  },
  'a gateway goes back to an earlier version': { parts: withFilter(backwardsFilter), found: /applied version \d+ after/ },
  'a gateway keeps the keys that it knew': {
    parts: withFilter(() => ({
      applied: (next, before) => (before && before.keys.length > 0 ? { ...next, keys: before.keys, tenants: before.tenants } : next),
    })),
    found: /admitted a key that was revoked/,
  },
  'a gateway spends more than it leased': {
    parts: {
      ...SOUND,
      books: (inner) => async (entry) => {
        const row = await inner(entry)
        return row && { ...row, held: row.held + 100_000 }
      },
    },
    found: /were consumed of a budget/,
  },
  'what is reported is booked twice': {
    parts: {
      ...SOUND,
      books: (inner) => async (entry) => {
        await inner({ ...entry, number: 2 * entry.number - 1 })
        return inner({ ...entry, number: 2 * entry.number })
      },
    },
    found: /were billed, \d+ were consumed/,
  },
  'what is used is not reported': {
    parts: { ...SOUND, books: (inner) => (entry) => inner({ ...entry, used: 0, returned: entry.returned + entry.used }) },
    found: /were billed of/,
  },
  'an event is changed afterwards': {
    parts: {
      ...SOUND,
      tamper: (connection) => applyUnguarded(connection, `update events set body = '{"replicas": 1000}' where kind = 'deployment-created'`),
    },
    found: /is not intact/,
  },
}
