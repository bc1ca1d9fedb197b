// Whatever is sent, the answer is an answer: no fault of the server in two thousand requests, most of them nonsense, many nearly right.

import { fc } from '@fast-check/vitest'
import { OPERATIONS } from '@ironlaw/contracts/operations'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS, report, runRequest } from '../../test/api-bed.ts'

let bed: ApiBed
let run: { readonly id: string; readonly token: string }
beforeAll(async () => {
  bed = await apiBed({ logLimit_bytes: 4096 })
  run = await bed.newRun()
}, BED_TIMEOUT_MS)
afterAll(() => bed.close())

const REQUESTS = 2000

/** Values that have broken servers before: edges of integers, of text, of nesting. */
const nasty = fc.oneof(
  fc.constantFrom<unknown>(
    0,
    -1,
    1,
    2 ** 31 - 1,
    2 ** 31,
    2 ** 53,
    1e308,
    -0.5,
    '',
    '\u0000',
    '\uD800',
    '%00',
    "'; --",
    '__proto__',
    null,
    true,
    [],
    {},
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.jsonValue({ maxDepth: 4 }),
)

/** A copy with one place, however deep, replaced, removed, or doubled. */
const mutated = (whole: unknown, replacement: unknown, place: number): unknown => {
  if (typeof whole !== 'object' || whole === null) return replacement
  const keys = Object.keys(whole)
  const key = keys[place % (keys.length + 1)]
  if (key === undefined) return Array.isArray(whole) ? [...whole, replacement] : { ...whole, unexpected: replacement }
  const inner: unknown = Reflect.get(whole, key)
  if (Array.isArray(whole))
    return whole.map((each, index) => (String(index) === key ? mutated(each, replacement, Math.floor(place / 7)) : each))
  if (place % 11 === 0) return Object.fromEntries(Object.entries(whole).filter(([name]) => name !== key))
  return { ...whole, [key]: mutated(inner, replacement, Math.floor(place / 7)) }
}

const fullReport = (sequence: number) =>
  report({
    sequence,
    beats: [{ node: 'n1', index: 0, host: 'n1', age_s: 0, ranks: [{ rank: 0, step: 3, phase: 'compute', phase_age_s: 0, alive: true }] }],
    exits: [{ node: 'n1', index: 0, rank: 0, code: null, signal: 9, at: 1, tail: 'x' }],
    steps: [{ step: 3, at: 1, seconds: 1, tokens: 1, loss: null, world: 1, phases_s: { compute: 1 } }],
    checkpoints: [{ state: 'committed', step: 3, attempt: 1, bytes: 1, write_s: 1, pause_s: 1, at: 1, manifest: 'm' }],
    notes: [{ kind: 'completed', at: 1, detail: { step: 3 } }],
  })

const request = fc.record({
  operation: fc.constantFrom(...Object.values(OPERATIONS).map(({ method, url }) => ({ method, url }))),
  who: fc.constantFrom('viewer', 'operator', 'admin', 'run', 'run', 'admin'),
  isRight: fc.boolean(),
  value: nasty,
  place: fc.nat(),
  sequence: fc.nat({ max: 5000 }),
  query: fc.dictionary(
    fc.constantFrom('state', 'limit', 'cursor', 'after', 'attempt', 'rank', 'node', 'offset', 'name', 'newest', 'live'),
    nasty,
    { maxKeys: 3 },
  ),
  key: fc.option(fc.string({ maxLength: 20 }), { nil: undefined }),
})

const tokenOf = (who: string): string =>
  who === 'run' ? run.token : (Object.entries(bed.tokens).find(([name]) => name === who)?.[1] ?? '')

function bodyOf(url: string, sequence: number): unknown {
  if (url.endsWith('/reports')) return fullReport(sequence)
  if (url.endsWith('/drain')) return { reason: 'fan' }
  return url === '/v1/tokens' ? { name: 'made', role: 'viewer' } : runRequest()
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed()

test('never a fault of the server', { timeout: 120_000 }, async () => {
  const statuses = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(request, async ({ operation, who, isRight, value, place, sequence, query, key }) => {
      const { method, url } = operation
      const parameter = isRight || place % 2 === 0 ? undefined : encodeURIComponent(asText(value))
      const path = url.replaceAll(/:(\w+)/g, (_, name: string) => parameter ?? { id: run.id, attempt: '1', name: 'n1' }[name] ?? 'x')
      const search =
        url.includes('/logs') && method === 'POST' && isRight
          ? 'node=0&rank=0&offset=0'
          : String(new URLSearchParams(Object.fromEntries(Object.entries(query).map(([name, each]) => [name, asText(each)]))))
      const isLog = url.endsWith('/logs')
      const body = isRight ? bodyOf(url, sequence + 1) : mutated(bodyOf(url, sequence + 1), value, place)
      const payload =
        method === 'POST' && !/\/(?:cancel|resume)$/.test(url) ? (isLog ? asText(value) : (JSON.stringify(body) ?? 'null')) : undefined
      const answer = await bed.api.inject({
        method,
        url: `${path}?${search}`,
        headers: {
          authorization: `Bearer ${tokenOf(who)}`,
          ...(payload !== undefined && { 'content-type': isLog ? 'text/plain' : 'application/json' }),
          ...(key !== undefined && { 'idempotency-key': encodeURIComponent(key.toWellFormed()) }),
        },
        ...(payload !== undefined && { payload }),
      })
      statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1)
      if (answer.statusCode >= 500)
        expect.fail(`${method} ${path}?${search} ${payload}: ${answer.body}\n${bed.log().split('\n').slice(-3).join('\n')}`)
    }),
    { numRuns: REQUESTS },
  )
  // The generator is worth something only if it also gets through the door and the schemas.
  for (const status of [200, 201, 400, 403, 404]) expect(statuses.get(status) ?? 0, `answers with ${status}`).toBeGreaterThan(5)
})

/** A request that is right but for one field of the plan. */
const planWith = (text: string): string =>
  JSON.stringify({ ...runRequest(), plan: { ...runRequest().plan, odd: 'HERE' } }).replace('"HERE"', text)

test.each([
  ['nested deeper than a stack', planWith(`${'['.repeat(50_000)}${']'.repeat(50_000)}`), 400],
  ['a number that is none', planWith('1e999'), 400],
  ['a prototype', '{"__proto__":{"role":"admin"}}', 400],
  ['a length that is no number', '{"name":{"length":{"toString":{}}},"program":{"argv":{"length":{"toString":{}}}}}', 400],
  ['half a document', '{"name":', 400],
  ['nothing', '', 400],
  ['too much', JSON.stringify({ name: 'x'.repeat(2_000_000) }), 413],
])('%s is refused', async (_what, payload, status) => {
  const headers = { authorization: `Bearer ${bed.tokens.operator}`, 'content-type': 'application/json' }
  const answer = await bed.api.inject({ method: 'POST', url: '/v1/runs', headers, payload })
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([status, 'application/problem+json'])
  expect(answer.json().title).not.toContain('plan.id')
})

test('a log over its limit is refused, what is there stays', async () => {
  const other = await bed.newRun()
  const send = (offset: number, payload: string) =>
    bed.api.inject({
      method: 'POST',
      url: `/v1/runs/${other.id}/attempts/1/logs?node=0&rank=0&offset=${offset}`,
      headers: { authorization: `Bearer ${other.token}`, 'content-type': 'text/plain' },
      payload,
    })
  expect((await send(0, 'a'.repeat(4000))).json()).toEqual({ offset: 4000 })
  expect((await send(4000, 'b'.repeat(4000))).json()).toMatchObject({ code: 'IL_TOO_LARGE', status: 413 })
  expect((await send(0, 'a'.repeat(4000))).json()).toEqual({ offset: 4000 })
})
