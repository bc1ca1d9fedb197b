// A snapshot as a gateway reads it from a file, a URL or its own kept copy, and puts it into force.

import { parseSnapshot } from '@ironlaw/contracts/gateway-snapshot'
import { Directory } from '../../../packages/effects/gateway/src/configuration/directory.ts'
import { parseJson } from '../../../packages/effects/gateway/src/front/json.ts'
import type { Target } from '../target.ts'

const SMALL = {
  version: 1,
  pools: { main: { replicas: [{ id: 'r0', url: 'http://127.0.0.1:1', max_running: 8 }], router: 'kv-aware', kv_tokens: 1000 } },
  models: { m: { targets: [{ pool: 'main', weight: 1 }], shadow: { pool: 'main', share: 0.5 }, max_attempts: 2 } },
  tenants: { one: { weight: 1, requests_per_minute: 10, budget: 'b' } },
  keys: [{ sha256: 'a'.repeat(64), tenant: 'one', models: ['m'], priority: 1, cache_s: 1, log: 'text', expires_at: 1 }],
  limits: { body_bytes: 1000, body_s: 1 },
}

export const target: Target = {
  grammar: 'json',
  seeds: [JSON.stringify(SMALL), JSON.stringify({ version: 2, pools: {}, models: {}, tenants: {}, keys: [] })],
  words: ['round-robin', 'two-choices', 'least-tokens', 'prefix-aware', 'sticky', 'http://[::1]:80', 'https://x'],
  run: (input, mark) => {
    const parsed = parseSnapshot(parseJson(input.toString('utf8')))
    if (!parsed.ok) return mark(parsed.problem.replaceAll(/\d+|"[^"]*"/g, '_').slice(0, 80))
    const directory = new Directory(parsed.snapshot, 0)
    directory.apply(parsed.snapshot, 1)
    directory.findCaller('Bearer x', 1)
  },
}
