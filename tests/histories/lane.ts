// A database for histories, one after another: they share it and nothing in it. Statements are prepared once, since the same few
// dozen are run a few hundred times in every history.

import { readdir, readFile } from 'node:fs/promises'
import { migrate, openPostgres } from '@ironlaw/store'
import { Client, types } from 'pg'
import type { Connection } from '../../packages/effects/control/test/simulated-database.ts'
import { embeddedClient } from '../../packages/effects/store/test/embedded-client.ts'

export type Lane = { readonly connection: Connection; readonly close: () => Promise<void> }

/** Inside this process. */
export async function openLane(): Promise<Lane> {
  const client = await embeddedClient()
  // It ends with the process; its line has no end to say goodbye at.
  return laneOn(client, async () => undefined)
}

/** `url` is of a server; the lane's database is made there. */
export async function openServerLane(url: string, name: string): Promise<Lane> {
  const server = new Client({ connectionString: url })
  await server.connect()
  await server.query(`create database ${name}`)
  await server.end()
  const own = new URL(url)
  own.pathname = `/${name}`
  const database = openPostgres(own.href, { max: 1 })
  await migrate(database)
  await database.destroy()
  const client = new Client({
    connectionString: own.href,
    types: { getTypeParser: (oid, format) => (oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format)) },
  })
  await client.connect()
  return laneOn(client, () => client.end())
}

async function laneOn(client: Client, close: () => Promise<void>): Promise<Lane> {
  await client.query('set synchronous_commit = off')
  await prepareBudgets(client)
  const names = new Map<string, string>()
  let turn: Promise<unknown> = Promise.resolve()
  const query: Connection['query'] = async (text, values) => {
    const name = names.get(text) ?? `s${names.size}`
    names.set(text, name)
    // A plan for any value would not know that a partial index fits.
    const isPrepared = !/on conflict \([^)]*\) where/.test(text)
    const run = () => client.query({ ...(isPrepared && { name }), text, values: [...values] })
    const answer = turn.then(run, run)
    turn = answer
    return (await answer).rows
  }
  return { connection: { query }, close }
}

const BUDGETS = new URL('../../packages/effects/gateway/src/budget/', import.meta.url)

/** The tables of the gateways' budgets, with functions that read the history's clock where they ask what time it is. */
async function prepareBudgets(client: Client): Promise<void> {
  await client.query(`create schema histories;
    create function histories.now() returns timestamptz language sql stable
    as $$ select pg_catalog.to_timestamp(pg_catalog.current_setting('histories.now')::float8) $$`)
  const files = (await readdir(BUDGETS)).filter((name) => name.endsWith('.sql')).toSorted()
  for (const file of files) await client.query(await readFile(new URL(file, BUDGETS), 'utf8'))
  // What a crash of the database would lose is of no use to anybody.
  for (const table of UNLOGGED) await client.query(`alter table ${table} set unlogged`)
  await client.query('set search_path = public, histories, pg_catalog')
}

/** Those that refer to others come first. */
const UNLOGGED = [
  'profile_days',
  'profile_hours',
  'profile_windows',
  'replicas',
  'revisions',
  'deployments',
  'gateways',
  'gateway_snapshot',
  'gateway_leases',
  'gateway_budgets',
  'events',
]
