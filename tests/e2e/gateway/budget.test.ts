import { type Books, LeasedBudgets, type LeaseOptions, migrateBudgets, postgresBooks } from '@ironlaw/gateway'
import { startEngineHost } from '@ironlaw/engines'
import { SimulatedEngine } from '@ironlaw/engines/simulated'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PrivateServer, SERVER_ABSENT, startPrivateServer } from '../../../packages/effects/store/test/private-server.ts'
import { startEngineStub } from '../../../packages/effects/gateway/test/engine-stub.ts'
import { chatBody, post, snapshotOf, startWithSnapshot } from '../../../packages/effects/gateway/test/setting.ts'

let server: PrivateServer
let pool: Pool
const left: LeasedBudgets[] = []

beforeAll(async () => {
  if (SERVER_ABSENT !== undefined) return
  server = await startPrivateServer()
  pool = new Pool({ connectionString: server.url, max: 8 })
  pool.on('error', () => undefined)
  await Promise.all([migrateBudgets(pool), migrateBudgets(pool)])
}, 60_000)
afterAll(async () => {
  for (const budgets of left) budgets.abandon()
  await pool?.end()
  await server?.stop()
})

type Account = { readonly limit: number; readonly spent: number; readonly leased: number }

async function readAccount(name: string): Promise<Account> {
  const { rows } = await pool.query<Record<keyof Account, string>>(
    'select limit_nusd as limit, spent_nusd as spent, leased_nusd as leased from gateway_budgets where name = $1',
    [name],
  )
  const [row] = rows
  return { limit: Number(row?.limit), spent: Number(row?.spent), leased: Number(row?.leased) }
}

const insertBudget = (name: string, limit: number) =>
  pool.query('insert into gateway_budgets (name, limit_nusd) values ($1, $2)', [name, limit])

function openBudgets(options: LeaseOptions = {}, books = postgresBooks(pool)): LeasedBudgets {
  const opened = new LeasedBudgets(books, { report_ms: 20, lease_s: 1, patience_ms: 2500, ...options })
  left.push(opened)
  return opened
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe.skipIf(SERVER_ABSENT !== undefined)('budgets over several gateways', () => {
  test('what is not used comes back; what is used up is refused with the account', async () => {
    await insertBudget('small', 1000)
    const one = openBudgets()
    const first = await one.reserve('small', 900)
    if (!('settle' in first)) throw new Error('refused')
    expect(await one.reserve('small', 200)).toMatchObject({ refused: 'spent', limit_nusd: 1000 })
    first.settle(100)
    const second = await one.reserve('small', 900)
    expect(second).toHaveProperty('settle')
    if ('settle' in second) second.settle(900)
    await one.close()
    expect(await readAccount('small')).toEqual({ limit: 1000, spent: 1000, leased: 0 })
    expect(one.states()).toEqual([{ name: 'small', spent_usd: 1e-6, limit_usd: 1e-6 }])
  })

  test('money that another gateway holds idle is had back', async () => {
    await insertBudget('idle', 1000)
    const [one, other] = [openBudgets({ chunk_nusd: 1e9 }), openBudgets()]
    for (let index = 0; index < 20; index += 1) {
      const held = await one.reserve('idle', 40)
      if ('settle' in held) held.settle(1)
    }
    const all = await other.reserve('idle', 980)
    expect(all).toHaveProperty('settle')
  })

  test('a report that was thought lost and arrives late does not make a later one count twice', async () => {
    await insertBudget('late', 1000)
    const books = postgresBooks(pool)
    const entry = { budget: 'late', gateway: 'g', used: 0, returned: 0, need: 0, wish: 0, lease_s: 60 }
    await books({ ...entry, number: 1, need: 500, wish: 500 })
    await books({ ...entry, number: 2, used: 100 })
    await books({ ...entry, number: 3, used: 100 })
    await books({ ...entry, number: 2, used: 100 })
    await books({ ...entry, number: 3, used: 100 })
    expect((await readAccount('late')).spent).toBe(200)
  })

  test('a smaller request behind one that is refused goes through', async () => {
    await insertBudget('mixed', 100)
    const one = openBudgets({ patience_ms: 100 })
    const answers = await Promise.all([
      one.reserve('mixed', 500),
      one.reserve('mixed', 60),
      one.reserve('mixed', 60),
      one.reserve('mixed', 30),
    ])
    expect(answers.map((answer) => 'settle' in answer)).toEqual([false, true, false, true])
  })

  test('10,000 requests over two gateways and their successors, with crashes: no overspend beyond the bound, no false refusal', async () => {
    const [limit, worst, chunk] = [3_000_000, 1000, 20_000]
    await insertBudget('race', limit)
    const gateways = [openBudgets({ chunk_nusd: chunk }), openBudgets({ chunk_nusd: chunk })]
    const truth = { spent: 0, reserved: 0, unreported: 0, refused: 0, done: 0 }
    let state = 7
    const draw = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32
    const one = async (index: number): Promise<void> => {
      await sleep(draw() * 3000)
      const used = Math.floor(draw() * worst)
      const held = await gateways[index % 2]?.reserve('race', worst)
      if (!held || 'refused' in held) {
        truth.refused += 1
        expect(truth.spent + truth.reserved + worst).toBeGreaterThan(limit)
        return
      }
      truth.reserved += worst
      await sleep(draw() * 20)
      held.settle(used)
      truth.reserved -= worst
      truth.spent += used
      truth.done += 1
    }
    let bound = 0
    const crash = async (index: number): Promise<void> => {
      const { rows } = await pool.query<{ most: string }>("select max(left_nusd) as most from gateway_leases where budget = 'race'")
      bound += Number(rows[0]?.most)
      // Whatever it had set aside and spent since its last report dies with it.
      gateways[index]?.abandon()
      gateways[index] = openBudgets({ chunk_nusd: chunk })
    }
    const crashes = [400, 900, 1400, 1900, 2400].map((at, index) => sleep(at).then(() => crash(index % 2)))
    await Promise.all([...Array.from({ length: 10_000 }, (_, index) => one(index)), ...crashes])
    for (const gateway of gateways) await gateway.close()
    const { spent } = await readAccount('race')
    expect(truth.done + truth.refused).toBe(10_000)
    expect(truth.refused).toBeGreaterThan(1000)
    // What the dead held leased; the rest is exact.
    expect(truth.spent - spent).toBeLessThanOrEqual(bound)
    expect(truth.spent).toBeLessThanOrEqual(limit + bound)
    expect(spent).toBeLessThanOrEqual(limit)
    console.log(
      `budget race: ${truth.done} served, ${truth.refused} refused, spent ${truth.spent} of ${limit}, booked ${spent}, bound ${bound}`,
    )
  }, 60_000)

  test('without crashes the books are exact, though connections break and answers of the database are lost', async () => {
    await insertBudget('exact', 2_000_000)
    let answers = 0
    const forgetfulBooks: Books = async (entry) => {
      const row = await postgresBooks(pool)(entry)
      return (answers += 1) % 3 === 0 ? undefined : row
    }
    const gateways = [openBudgets({ chunk_nusd: 50_000 }, forgetfulBooks), openBudgets({ chunk_nusd: 50_000 }, forgetfulBooks)]
    let spent = 0
    let lastBreak: Promise<unknown> = Promise.resolve()
    const breaking = setInterval(() => {
      lastBreak = pool
        .query('select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and query like $1', [
          '%gateway_report%',
        ])
        .catch(() => undefined)
    }, 15)
    await Promise.all(
      Array.from({ length: 5000 }, async (_, index) => {
        await sleep(index % 500)
        const held = await gateways[index % 2]?.reserve('exact', 700)
        if (!held || 'refused' in held) return
        await sleep(index % 7)
        held.settle((index * 37) % 700)
        spent += (index * 37) % 700
      }),
    )
    clearInterval(breaking)
    await lastBreak
    // A third of the answers is still lost; what is not answered is reported again.
    for (let round = 0; round < 3 || (round < 20 && (await readAccount('exact')).leased > 0); round += 1)
      for (const gateway of gateways) await gateway.close()
    expect(await readAccount('exact')).toEqual({ limit: 2_000_000, spent, leased: 0 })
  }, 60_000)

  test('through two gateways, streamed and not, the bill is what the engine counted; then no retryable refusal', async () => {
    const engine = await startEngineStub()
    await insertBudget('bill', 300_000_000)
    const mine = [openBudgets(), openBudgets()]
    const snapshot = snapshotOf([engine.url], {
      tenant: { budget: 'bill' },
      model: { input_usd_per_million: 1, output_usd_per_million: 2, max_output_tokens: 100 },
    })
    const gateways = await Promise.all(mine.map((one) => startWithSnapshot(snapshot, { budgets: one })))
    const statuses: number[] = []
    let last: Response | undefined
    for (let round = 0; round < 20; round += 1)
      await Promise.all(
        Array.from({ length: 100 }, async (_, index) => {
          const gateway = gateways[index % 2]
          if (!gateway) return
          const answer = await post(gateway, { ...chatBody(`tokens=${index}`), stream: index % 3 === 0 })
          await answer.clone().text()
          statuses.push(answer.status)
          if (answer.status !== 200) last = answer
        }),
      )
    for (const gateway of gateways) await gateway.stop()
    for (const one of mine) await one.close()
    const { spent, leased } = await readAccount('bill')
    expect(spent).toBe(1000 * (engine.served.prompt + 2 * engine.served.completion))
    expect(leased).toBe(0)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(last).toBeUndefined()
    await engine.stop()
  }, 60_000)

  test('a list of prompts is set aside for each of them, and refused where the budget covers only one', async () => {
    const engine = new SimulatedEngine({
      model: { id: 'm', context_tokens: 4096, slots: 32 },
      step_s: () => 0,
      prefill_s_per_token: 0,
    })
    const host = await startEngineHost({ engine, max_queued: 64 })
    await host.warm()
    await insertBudget('list', 400_000_000)
    const money = openBudgets({ patience_ms: 100 })
    const snapshot = snapshotOf([host.url], { tenant: { budget: 'list' }, model: { output_usd_per_million: 1000 } })
    const gateway = await startWithSnapshot(snapshot, { budgets: money })
    const postPrompt = (prompt: unknown, n = 1) => post(gateway, { model: 'm', prompt, n, max_tokens: 50 }, { path: '/v1/completions' })
    const texts = Array.from({ length: 16 }, (_, index) => `p${index}`)
    for (const prompt of [texts, texts.map((_, index) => [index, index])]) {
      const refused = await postPrompt(prompt)
      expect(await refused.json()).toMatchObject({ error: { code: 'insufficient_quota' } })
    }
    expect((await postPrompt(texts.slice(0, 4), 4)).status).toBe(429)
    const served = await postPrompt(texts.slice(0, 4))
    expect(await served.json()).toMatchObject({ usage: { completion_tokens: 200 } })
    await gateway.stop()
    await money.close()
    expect((await readAccount('list')).spent).toBe(200_000_000)
    await host.stop({ drain_s: 0 })
  })

  test('a budget that is used up refuses in a way that no client retries', async () => {
    const engine = await startEngineStub()
    await insertBudget('none', 10)
    const gateway = await startWithSnapshot(
      snapshotOf([engine.url], { tenant: { budget: 'none' }, model: { output_usd_per_million: 2 } }),
      {
        budgets: openBudgets({ patience_ms: 100 }),
      },
    )
    const refused = await post(gateway, chatBody('x'))
    expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([429, 'false'])
    expect(await refused.json()).toMatchObject({
      error: { code: 'insufficient_quota', message: expect.stringMatching(/spent.*reserved.*free/) },
    })
    expect(engine.served.requests).toBe(0)
    await gateway.stop()
    await engine.stop()
  })
})
