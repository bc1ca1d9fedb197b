// The engine host as a process: opens a model, answers a known prompt, serves, drains on a signal.

import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { IronlawError } from '@ironlaw/contracts'
import { startEngineHost, writeEndpoint } from '@ironlaw/engines'
import { openLlama } from '@ironlaw/engines/llamacpp'
import { runProgram } from './engine-edge.ts'
import { servedFile } from './engine-model.ts'

const FLAGS = {
  model: { type: 'string' },
  weights: { type: 'string' },
  id: { type: 'string' },
  host: { type: 'string', default: '127.0.0.1' },
  /** Any that is free for a replica of a deployment, which says where it is. */
  port: { type: 'string', default: process.env['IRONLAW_ENDPOINT_FILE'] === undefined ? '8000' : '0' },
  slots: { type: 'string', default: '8' },
  context: { type: 'string' },
  threads: { type: 'string', default: String(availableParallelism()) },
  batch: { type: 'string', default: '512' },
  queue: { type: 'string' },
  'drain-s': { type: 'string', default: '30' },
  'no-embeddings': { type: 'boolean', default: false },
  log: { type: 'boolean', default: false },
} as const

await runProgram(async () => {
  const { values: flags } = parseArgs({ options: FLAGS })
  if (flags.model === undefined) throw usage('--model DIR or FILE.gguf is missing')
  const { file, id, known } = await servedFile(flags.model, flags.weights)
  const engine = await openLlama({
    file,
    id: flags.id ?? id,
    threads: wholeNumber(flags, 'threads'),
    slots: wholeNumber(flags, 'slots'),
    batch_tokens: wholeNumber(flags, 'batch'),
    embeddings: !flags['no-embeddings'],
    ...(flags.context !== undefined && { context_tokens: wholeNumber(flags, 'context') }),
  })
  const replica_token = process.env['IRONLAW_REPLICA_TOKEN']
  const host = await startEngineHost({
    engine,
    host: flags.host,
    port: wholeNumber(flags, 'port'),
    ...(flags.queue !== undefined && { max_queued: wholeNumber(flags, 'queue') }),
    ...(known && { known }),
    ...(replica_token !== undefined && { replica_token }),
    ...(flags.log && { log: (line) => process.stdout.write(`${JSON.stringify({ at: new Date().toISOString(), ...line })}\n`) }),
  })
  const problem = await host.warm()
  if (problem !== undefined) throw new IronlawError('IL_FILE', { path: file, reason: `${problem}, which is not what was exported` })
  const endpoint = process.env['IRONLAW_ENDPOINT_FILE']
  if (endpoint !== undefined) await writeEndpoint(endpoint, host.url)
  const { context_tokens, slots } = engine.model
  process.stdout.write(`${engine.model.id} at ${host.url}: ${slots} answers at a time, ${context_tokens} tokens each\n`)
  const end = async (): Promise<void> => {
    await host.stop({ drain_s: wholeNumber(flags, 'drain-s') })
    await engine.close()
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end())
})

type Flags = Readonly<Record<string, string | boolean | undefined>>

function wholeNumber(flags: Flags, name: string): number {
  const value = Number(flags[name])
  if (!Number.isInteger(value) || value < 0) throw usage(`--${name} ${String(flags[name])}: expected a whole number`)
  return value
}

function usage(problem: string): IronlawError {
  return new IronlawError('IL_USAGE', { problem, command: 'engine' })
}
