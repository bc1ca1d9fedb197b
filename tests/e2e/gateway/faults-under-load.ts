// Faults while requests run: an engine killed, PostgreSQL away, a gateway killed. Afterwards every request has had one end, and the bill is
// what the clients saw.

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { type Deployment, PRICE_NUSD } from './deployment.ts'
import { type Fate, type Outcome, SteadyLoad, TOKENS } from './steady-load.ts'

export type Times = { readonly calm_s: number; readonly databaseAway_s: number; readonly workers: number }

const cost = ({ usage }: Outcome): number => PRICE_NUSD.prompt * usage.prompt_tokens + PRICE_NUSD.completion * usage.completion_tokens
/** Of a request whose end was not observed: all of its prompt (bytes of the text and its frame) and the whole answer. */
const MOST_NUSD = PRICE_NUSD.prompt * 64 + PRICE_NUSD.completion * TOKENS

/** Longer than a gateway keeps what it has to book. */
const SETTLED_MS = 3000

export async function faultsUnderLoad(deployment: Deployment, { calm_s, databaseAway_s, workers }: Times): Promise<readonly string[]> {
  const pool = new Pool({ connectionString: deployment.databaseUrl, max: 1 })
  pool.on('error', () => undefined)
  const spentBefore = await waitUntilSettled(pool)
  const load = new SteadyLoad(deployment, workers)
  const phases: { readonly name: string; readonly from: number }[] = []
  const phase = async (name: string, act: () => Promise<void>): Promise<void> => {
    phases.push({ name, from: load.outcomes.length })
    await act()
  }
  const [engine] = deployment.engines
  const [survivor, victim] = deployment.gateways
  if (!engine || !survivor || !victim) throw new Error('nothing was started')
  await phase('undisturbed', () => sleep(1000 * calm_s))
  await phase('one engine of three killed', async () => {
    await deployment.stop(engine, 'SIGKILL')
    await sleep(1000 * calm_s)
  })
  await phase('the engine back', async () => {
    await deployment.restart(engine)
    await sleep(1000 * calm_s)
  })
  await phase(`PostgreSQL away for ${databaseAway_s} s`, async () => {
    await deployment.stopDatabase()
    await sleep(1000 * databaseAway_s)
    await deployment.startDatabase()
  })
  await phase('PostgreSQL back', () => sleep(1000 * calm_s))
  await phase('one gateway of two killed', async () => {
    await deployment.stop(victim, 'SIGKILL')
    await sleep(1000 * calm_s)
  })
  await load.stop()
  // What a gateway holds it books when it ends in order.
  await deployment.stop(survivor, 'SIGTERM')
  const booked = (await fetchSpent(pool)) - spentBefore
  await pool.end()
  return [
    ...phases.map(({ name, from }, index) => countsText(name, load.outcomes.slice(from, phases[index + 1]?.from))),
    bill(load.outcomes, booked),
  ]
}

function countsText(name: string, outcomes: readonly Outcome[]): string {
  const of = (fate: Fate): number => outcomes.filter((outcome) => outcome.fate === fate).length
  const lost = outcomes.filter(({ fate }) => fate === 'lost')
  assert.deepEqual(lost.map(({ detail }) => detail).slice(0, 5), [], `${name}: requests were lost`)
  return `${name}: ${outcomes.length} requests, ${of('answered')} answered, ${of('cut')} cut after the first byte, ${of('refused')} refused with a time to wait, ${of('failed-over')} asked again elsewhere, 0 lost`
}

/** The gateway that was killed may have spent unbooked what it held leased; nothing may be booked twice. */
function bill(outcomes: readonly Outcome[], booked: number): string {
  const answered = outcomes.filter(({ fate }) => fate === 'answered')
  const seen = answered.reduce((sum, outcome) => sum + cost(outcome), 0)
  const bySurvivor = answered.filter(({ gateway }) => gateway === 0).reduce((sum, outcome) => sum + cost(outcome), 0)
  const open = outcomes.filter(({ fate }) => fate === 'cut' || fate === 'failed-over').length
  const text = `billed ${booked} of ${seen} nano-dollars that clients saw (${open} requests without a seen end may add ${open * MOST_NUSD}; the killed gateway may lack up to ${seen - bySurvivor})`
  assert.ok(booked <= seen + open * MOST_NUSD, `more is billed than was answered: ${text}`)
  assert.ok(booked >= bySurvivor, `less is billed than the living gateway answered: ${text}`)
  return text
}

/** Gateways book what they have spent a moment later: requests of the parts before must not count here. */
async function waitUntilSettled(pool: Pool): Promise<number> {
  for (let before = await fetchSpent(pool); ;) {
    await sleep(SETTLED_MS)
    const now = await fetchSpent(pool)
    if (now === before) return now
    before = now
  }
}

async function fetchSpent(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ readonly spent: string }>("select spent_nusd as spent from gateway_budgets where name = 'one'")
  return Number(rows[0]?.spent ?? 0)
}
