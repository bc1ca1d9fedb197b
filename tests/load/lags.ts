// How long a run that is due waits until it was looked at and given back, for every look, from triggers on the leases.

import type { Database } from '@ironlaw/store'
import { sql } from 'kysely'

export async function recordLags(database: Database): Promise<void> {
  await sql`create unlogged table lags (run_id text primary key, due_at float8 not null)`.execute(database)
  await sql`create unlogged table looks (lag_s float8 not null)`.execute(database)
  await sql`
    create function leased() returns trigger language plpgsql as $$
    begin
      insert into lags values (new.run_id, old.next_look_at) on conflict (run_id) do update set due_at = excluded.due_at;
      return null;
    end $$`.execute(database)
  await sql`
    create function given_back() returns trigger language plpgsql as $$
    begin
      insert into looks select extract(epoch from clock_timestamp()) - due_at from lags where run_id = new.run_id;
      return null;
    end $$`.execute(database)
  await sql`
    create trigger leased after update on leases for each row when (new.token > old.token) execute function leased()`.execute(database)
  await sql`
    create trigger given_back after update on leases for each row when (new.holder is null and old.holder is not null) execute function given_back()
  `.execute(database)
}

export const forgetLooks = (database: Database): Promise<unknown> => sql`truncate looks`.execute(database)

export async function lagsOf(database: Database): Promise<readonly number[]> {
  const { rows } = await sql<{ lag_s: number }>`select lag_s from looks`.execute(database)
  return rows.map(({ lag_s }) => lag_s)
}
