// The host under measurement, as a process. Prints its processor time for each line on standard input.

import { createInterface } from 'node:readline'
import { startEngineHost } from '../src/host/engine-host.ts'
import { openLlama } from '../src/llamacpp/llama-engine.ts'
import { CONTEXT } from './round.ts'

const [file = '', slots = '1', threads = '1', context = String(CONTEXT)] = process.argv.slice(2)
const engine = await openLlama({ file, id: 'm', slots: Number(slots), threads: Number(threads), context_tokens: Number(context) })
const host = await startEngineHost({ engine })
await host.warm()
console.log(host.url)
for await (const _ of createInterface({ input: process.stdin })) {
  const { user, system } = process.cpuUsage()
  console.log(JSON.stringify({ cpu_s: (user + system) / 1e6, rss_mb: process.memoryUsage.rss() / 1e6 }))
}
process.exit(0)
