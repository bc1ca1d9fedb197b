// Tenants share engines but not what engines remember of their prompts.

import { type Gateway, parseSnapshot } from '@ironlaw/gateway'
import { startEngineHost } from '@ironlaw/engines'
import { openLlama } from '@ironlaw/engines/llamacpp'
import { afterEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { hasTorch, seededModel } from '../../../packages/effects/engines/src/llamacpp/seeded-model.fixture.ts'
import { startEngineStub } from '../../../packages/effects/gateway/test/engine-stub.ts'
import { chatBody, KEY, OTHER_KEY, post, sha256, snapshotOf, startWithSnapshot } from '../../../packages/effects/gateway/test/setting.ts'

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

async function startTestGateway(...parts: Parameters<typeof startWithSnapshot>): Promise<Gateway> {
  const gateway = await startWithSnapshot(...parts)
  opened.push(() => gateway.stop({ drain_s: 0 }))
  return gateway
}

const SALTED = z.object({ cache_salt: z.string().exactOptional() })
const SECRET = 'a secret of at least thirty-two characters'

describe('the salt that an engine sees', () => {
  async function salts(over: Parameters<typeof snapshotOf>[1], requests: readonly (readonly [string, object])[]) {
    const stub = await startEngineStub({ keep: true })
    opened.push(stub.stop)
    const gateway = await startTestGateway({ ...snapshotOf([stub.url], over), cache_secret: SECRET })
    for (const [key, body] of requests) expect((await post(gateway, body, { key })).status).toBe(200)
    return stub.bodies.map((body) => SALTED.parse(JSON.parse(body)).cache_salt)
  }
  const plain = chatBody('tokens=1')

  test('is one for a tenant, another for the next, and names neither', async () => {
    const [first, second, other] = await salts({}, [
      [KEY, plain],
      [KEY, { ...plain, stream: true }],
      [OTHER_KEY, plain],
    ])
    expect(first).toMatch(/^[\w-]{43}$/)
    expect(second).toBe(first)
    expect(other).toMatch(/^[\w-]{43}$/)
    expect(other).not.toBe(first)
  })

  test('of a client divides its tenant and reaches no other, not even with the salt of another tenant', async () => {
    const [theirs = ''] = await salts({}, [[OTHER_KEY, plain]])
    const [own, mine, again, forged, none] = await salts({}, [
      [KEY, plain],
      [KEY, { ...plain, cache_salt: 'mine' }],
      [KEY, { ...plain, cache_salt: 'mine' }],
      [KEY, { ...plain, cache_salt: theirs }],
      [KEY, { ...plain, cache_salt: null }],
    ])
    expect(new Set([own, mine, forged, theirs]).size).toBe(4)
    expect([again, none]).toEqual([mine, own])
  })

  test('is shared by keys that name the same group', async () => {
    const [one, two] = await salts({ key: { cache_group: 'search' } }, [
      [KEY, plain],
      [OTHER_KEY, plain],
    ])
    expect(one).toBe(two)
    const [alone] = await salts({}, [[KEY, plain]])
    expect(one).not.toBe(alone)
  })

  test('a tenant that is called like a group is not in it', async () => {
    const [group] = await salts({ key: { cache_group: 'two' } }, [[KEY, plain]])
    const [tenant] = await salts({}, [[OTHER_KEY, plain]])
    expect(group).not.toBe(tenant)
  })

  test('is left out for engines that refuse it, with a client’s own', async () => {
    const over = { pool: { cache_salt: false } }
    expect(
      await salts(over, [
        [KEY, plain],
        [KEY, { ...plain, cache_salt: 'mine' }],
      ]),
    ).toEqual([undefined, undefined])
  })

  test('that is no text is a 400', async () => {
    const gateway = await startTestGateway(snapshotOf([]))
    for (const cache_salt of ['', 7, ['a'], 'x'.repeat(2000)]) expect((await post(gateway, { ...plain, cache_salt })).status).toBe(400)
  })

  test('differs between gateways that were given no secret', async () => {
    const stub = await startEngineStub({ keep: true })
    opened.push(stub.stop)
    for (const gateway of [await startTestGateway(snapshotOf([stub.url])), await startTestGateway(snapshotOf([stub.url]))])
      await post(gateway, plain)
    expect(new Set(stub.bodies.map((body) => SALTED.parse(JSON.parse(body)).cache_salt)).size).toBe(2)
  })
})

const ANSWER = z.object({ usage: z.object({ prompt_tokens: z.number(), prompt_tokens_details: z.object({ cached_tokens: z.number() }) }) })
const METRIC = /^vllm:prefix_cache_hits_total\{.*\} (\d+)$/m

describe.skipIf(!hasTorch())('with llama.cpp', () => {
  type AskEngine = (key: string, prompt: string) => Promise<{ readonly tokens: number; readonly cached: number; readonly hits: number }>

  async function startBehindGateway(group: object): Promise<AskEngine> {
    const file = seededModel({ hidden: 64, layers: 2, heads: 4, context: 1024 })
    const engine = await openLlama({ file, id: 'm', threads: 1, slots: 4 })
    const host = await startEngineHost({ engine })
    opened.push(async () => {
      await host.stop({ drain_s: 0 })
      await engine.close()
    })
    await host.warm()
    const keys = [
      { sha256: sha256(KEY), tenant: 'bank', ...group },
      { sha256: sha256(OTHER_KEY), tenant: 'spy', ...group },
    ]
    const pools = { p: { replicas: [{ id: 'a', url: host.url }] } }
    const parsed = parseSnapshot({ version: 1, pools, models: { m: { targets: [{ pool: 'p' }] } }, tenants: { bank: {}, spy: {} }, keys })
    if (!parsed.ok) throw new Error(parsed.problem)
    const gateway = await startTestGateway(parsed.snapshot)
    const fetchHits = async (): Promise<number> => Number(METRIC.exec(await (await fetch(`${host.url}/metrics`)).text())?.[1])
    return async (key, prompt) => {
      const before = await fetchHits()
      const answer = await post(gateway, { model: 'm', prompt, max_tokens: 1, temperature: 0 }, { key, path: '/v1/completions' })
      const { usage } = ANSWER.parse(await answer.json())
      return { tokens: usage.prompt_tokens, cached: usage.prompt_tokens_details.cached_tokens, hits: (await fetchHits()) - before }
    }
  }

  const SECRET_PROMPT = 'account 4711 password: Z9q please transfer'
  const OTHER_PROMPT = 'quite another text that is of the same size'
  const GUESSES = [...[...'ABCXYZabcpqr0189'].map((letter) => `account 4711 password: ${letter}~`), SECRET_PROMPT]

  /** All that the spy is told, and all that the engine reuses for it, while the bank asks this before each guess. */
  async function spyOn(victim: string): Promise<readonly (readonly number[])[]> {
    const asking = await startBehindGateway({})
    const seen: (readonly number[])[] = []
    for (const guess of GUESSES) {
      await asking(KEY, victim)
      const own = await asking(KEY, victim)
      expect([own.cached, own.hits]).toEqual([own.tokens - 1, own.tokens - 1])
      const { cached, hits } = await asking(OTHER_KEY, guess)
      seen.push([cached, hits])
    }
    return seen
  }

  test('what a spy sees does not depend on the prompts of another tenant, who reuses its own', async () => {
    const secret = await spyOn(SECRET_PROMPT)
    expect(secret[0]).toEqual([0, 0])
    expect(secret).toEqual(await spyOn(OTHER_PROMPT))
  })

  test('tenants in one group do reuse what the other asked', async () => {
    const asking = await startBehindGateway({ cache_group: 'shared' })
    await asking(KEY, SECRET_PROMPT)
    const { cached, tokens } = await asking(OTHER_KEY, SECRET_PROMPT)
    expect(cached).toBe(tokens - 1)
  })
})
