import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EngineStub, startEngineStub } from '../../../packages/effects/gateway/test/engine-stub.ts'
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts'
import { KEY, snapshotOf } from '../../../packages/effects/gateway/test/setting.ts'

// Every one of these is sent by a tenant with a valid key to a gateway process that rewrites each body, as it does for deployments.

let engine: EngineStub
let gateway: GatewayProcess
beforeAll(async () => {
  engine = await startEngineStub()
  gateway = await startGatewayProcess(snapshotOf([engine.url], { pool: { model: 'renamed' } }))
})
afterAll(async () => {
  await gateway.stop()
  await engine.stop()
})

const nest = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const messages = '"messages":[{"role":"user","content":"tokens=1"}]'
const wide = (fields: number): string => `{${Array.from({ length: fields }, (_, index) => `"f${index}":1`).join(',')}}`

async function statusOf(body: string | Buffer, over: { readonly path?: string; readonly type?: string } = {}): Promise<number> {
  const { path = '/v1/chat/completions', type = 'application/json' } = over
  const answer = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': type },
    body,
  })
  const text = await answer.text()
  if (!answer.ok) expect(JSON.parse(text)).toMatchObject({ error: { message: expect.any(String), type: expect.any(String) } })
  return answer.status
}

async function expectAlive(): Promise<void> {
  expect(gateway.child.exitCode).toBeNull()
  expect(await statusOf(`{"model":"m",${messages}}`)).toBe(200)
  expect(await gateway.metrics()).toContain('ironlaw_gateway_unexpected_total 0\n')
}

describe('a body that nothing can walk is refused, and the gateway lives on', () => {
  for (const depth of [129, 5000, 8000, 200_000])
    test(`balanced nesting of ${depth} levels in the prompt, in a message, and in a field that the gateway does not read`, async () => {
      for (const value of [nest(depth), objects(depth)]) {
        expect(await statusOf(`{"model":"m","prompt":${value}}`, { path: '/v1/completions' })).toBe(400)
        expect(await statusOf(`{"model":"m","input":${value}}`, { path: '/v1/embeddings' })).toBe(400)
        expect(await statusOf(`{"model":"m","messages":[{"role":"user","content":${value}}]}`)).toBe(400)
        expect(await statusOf(`{"model":"m","stream":true,"stream_options":{},"metadata":${value},${messages}}`)).toBe(400)
        expect(await statusOf(value)).toBe(400)
      }
      await expectAlive()
    })

  test('nesting that a request may have reaches the engine', async () => {
    expect(await statusOf(`{"model":"m","metadata":${objects(100)},${messages}}`)).toBe(200)
  })

  test('huge arrays and wide objects', async () => {
    expect(await statusOf(`{"model":"m","prompt":[${'1,'.repeat(2_000_000)}1]}`, { path: '/v1/completions' })).toBe(400)
    expect(await statusOf(`{"model":"m",${messages},"x":[${'{},'.repeat(1_300_000)}1]}`)).toBe(400)
    expect(await statusOf(`{"model":"m",${messages},"x":${wide(300_000)}}`)).toBe(400)
    expect(await statusOf(`{"model":"m",${messages},"x":${wide(30_000)}}`)).toBe(200)
    await expectAlive()
  })

  test('duplicate keys: what was checked is what is served', async () => {
    expect(await statusOf(`{"model":"m","max_tokens":1,"max_tokens":1000000,${messages}}`)).toBe(400)
    expect(await statusOf(`{"model":"m","__proto__":{},"__proto__":1,${messages}}`)).toBe(400)
    expect(await statusOf(`{"model":"m","__proto__":{"model":"x"},"constructor":1,${messages}}`)).toBe(200)
    await expectAlive()
  })

  test('lone surrogates, invalid UTF-8 and control characters', async () => {
    const texts = ['\\ud800', '\\udfff\\ud800', '\\ud83d', '\\u0000', '\\u202e']
    for (const text of texts) {
      expect(await statusOf(`{"model":"m","messages":[{"role":"user","content":"${text}"}],"user":"${text}","${text}":1}`)).toBe(200)
      expect(await statusOf(`{"model":"${text}",${messages}}`)).toBe(404)
    }
    expect(
      await statusOf(Buffer.from([...Buffer.from('{"model":"m","prompt":"'), 0xff, 0xc0, 0x22, 0x7d]), { path: '/v1/completions' }),
    ).toBe(200)
    await expectAlive()
  })

  test('every content type', async () => {
    for (const [type, status] of [
      ['application/json', 200],
      ['application/json; charset=utf-16', 200],
      ['APPLICATION/JSON', 200],
      ['text/plain', 415],
      ['multipart/form-data; boundary=x', 415],
      ['application/x-www-form-urlencoded', 415],
      ['application/json, text/html', 415],
      ['application/cbor', 415],
      ['x', 415],
    ] as const)
      expect([type, await statusOf(`{"model":"m",${messages}}`, { type })]).toEqual([type, status])
    await expectAlive()
  })
})
