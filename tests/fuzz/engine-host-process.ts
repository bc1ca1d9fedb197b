// The engine host with a simulated engine, as a process of its own. It prints where it is.

import { startEngineHost } from '@ironlaw/engines'
import { SimulatedEngine } from '@ironlaw/engines/simulated'

const engine = new SimulatedEngine({
  model: { id: 'simulated', context_tokens: 4096, slots: 64 },
  step_s: () => 0.0002,
  prefill_s_per_token: 0,
})
const host = await startEngineHost({ engine, host: '127.0.0.1', port: 0 })
await host.warm()
process.stdout.write(`engine at ${host.url}\n`)
