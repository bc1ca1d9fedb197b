// One process with two gateways in front of one engine: the first profiles answers, the second does not, and everything else, compiled code
// included, they share. On a message it prints what a report costs.

import { cpuUsage } from 'node:process'
import { parseSnapshot, startGateway } from '../../../packages/effects/gateway/src/index.ts'
import { sha256 } from '../../../packages/effects/gateway/test/setting.ts'

const [port = '0', engine = '0', key = ''] = process.argv.slice(2)
const parsed = parseSnapshot({
  version: 1,
  pools: { main: { replicas: [{ id: 'r', url: `http://127.0.0.1:${engine}`, max_running: 20_000 }], kv_tokens: 1e9 } },
  models: { m: { targets: [{ pool: 'main' }] } },
  tenants: { bench: { requests_per_minute: 1e9, tokens_per_minute: 1e12, concurrency: 1e5, kv_tokens: 1e12 } },
  keys: [{ sha256: sha256(key), tenant: 'bench' }],
})
if (!parsed.ok) throw new Error(parsed.problem)
const { snapshot } = parsed
const { profiles } = await startGateway({ snapshot, port: Number(port) + 1, profiling: {} })
await startGateway({ snapshot, port: Number(port) })

process.on('message', () => {
  const before = cpuUsage()
  const message = profiles?.message()
  message?.acknowledge()
  const { user, system } = cpuUsage(before)
  process.send?.({ report_us: user + system, bytes: message?.windows.length ?? 0 })
})
