// A gateway in front of engine stubs, for tests: a snapshot with one model, one tenant and one key, changed where a test wants.

import { hash } from 'node:crypto'
import { type Gateway, type GatewayOptions, parseSnapshot, type GatewaySnapshot, startGateway } from '../src/index.ts'
import OpenAI from 'openai'

export const KEY = 'sk-test-one'
export const OTHER_KEY = 'sk-test-two'

export const sha256 = (text: string): string => hash('sha256', text)

type SnapshotOverrides = {
  readonly version?: number
  readonly model?: object
  readonly pool?: object
  readonly tenant?: object
  readonly other?: object
  readonly key?: object
  readonly limits?: object
  readonly models?: object
  readonly pools?: object
}

export function snapshotOf(urls: readonly string[], over: SnapshotOverrides = {}): GatewaySnapshot {
  const parsed = parseSnapshot({
    version: over.version ?? 1,
    pools: { main: { replicas: urls.map((url, index) => ({ id: `r${index}`, url })), ...over.pool }, ...over.pools },
    models: { m: { targets: [{ pool: 'main' }], ...over.model }, ...over.models },
    tenants: { one: { ...over.tenant }, two: { ...over.other } },
    keys: [
      { sha256: sha256(KEY), tenant: 'one', ...over.key },
      { sha256: sha256(OTHER_KEY), tenant: 'two', ...over.key },
    ],
    ...(over.limits ? { limits: over.limits } : {}),
  })
  if (!parsed.ok) throw new Error(parsed.problem)
  return parsed.snapshot
}

export const startWithSnapshot = (snapshot: GatewaySnapshot, options: Omit<GatewayOptions, 'snapshot'> = {}): Promise<Gateway> =>
  startGateway({ snapshot, ...options })

export const openAiClient = (gateway: Gateway, apiKey = KEY, maxRetries = 0): OpenAI =>
  new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries })

export const chatBody = (content: string) => ({ model: 'm', messages: [{ role: 'user' as const, content }] })

export async function post(
  gateway: Gateway,
  body: string | object,
  over: { readonly key?: string; readonly path?: string; readonly headers?: Record<string, string>; readonly signal?: AbortSignal } = {},
): Promise<Response> {
  const { key = KEY, path = '/v1/chat/completions', headers = {}, signal } = over
  return fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal ? { signal } : {}),
  })
}

/** Waits until something holds, for at most ten seconds. */
export async function until(holds: () => boolean, every_ms = 10): Promise<void> {
  const end = performance.now() + 10_000
  while (!holds()) {
    if (performance.now() > end) throw new Error('it did not come to hold within 10 s')
    await new Promise((resolve) => setTimeout(resolve, every_ms))
  }
}
