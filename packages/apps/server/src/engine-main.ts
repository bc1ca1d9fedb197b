// The engine host as a process: opens a model, answers a known prompt, serves, drains on a signal.

import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { IronlawError } from '@ironlaw/contracts'
import { MODEL_VERSION_DIGEST, SERVED_VERSION } from '@ironlaw/contracts/model-version'
import { parseOptions, readFlags } from '@ironlaw/contracts/program-flags'
import { ENGINE_FLAGS } from '@ironlaw/contracts/programs'
import { startEngineHost, writeEndpoint } from '@ironlaw/engines'
import { openLlama } from '@ironlaw/engines/llamacpp'
import { runProgram } from './engine-edge.ts'
import { engineCertificate } from './engine-certificate.ts'
import { servedFile } from './engine-model.ts'
import { restoreVersion } from './restore-version.ts'

await runProgram(async () => {
  const { values } = parseArgs({ options: parseOptions(ENGINE_FLAGS) })
  const flags = readFlags(ENGINE_FLAGS, { command: 'engine', values, environment: process.env })
  const endpoint = process.env['IRONLAW_ENDPOINT_FILE']
  const begun = performance.now()
  const source = { version: process.env[SERVED_VERSION], storage: process.env['IRONLAW_ARTIFACT_STORAGE'] }
  if (await restoreVersion(flags.model, source))
    process.stdout.write(`restored ${source.version} to ${flags.model} in ${((performance.now() - begun) / 1000).toFixed(1)} s\n`)
  const { file, id, known, sha256, check } = await servedFile(flags.model, {
    weights: flags.weights,
    signedBy: flags['require-signature'],
    versionDigest: process.env[MODEL_VERSION_DIGEST],
  })
  const opening = openLlama({
    file,
    id: flags.id ?? id,
    threads: flags.threads || availableParallelism(),
    slots: flags.slots,
    batch_tokens: flags.batch,
    embeddings: !flags['no-embeddings'],
    ...(flags.context !== undefined && { context_tokens: flags.context }),
  })
  // Hashed while it is loaded: nothing is served before both are done.
  const [engine] = await Promise.all([opening, check()])
  const folder = process.env['IRONLAW_TLS']
  const certificate = folder === undefined ? undefined : await engineCertificate(folder)
  const replica_token = process.env['IRONLAW_REPLICA_TOKEN']
  const host = await startEngineHost({
    engine,
    host: flags.host,
    // A replica of a deployment takes any free port and writes down which.
    port: flags.port ?? (endpoint === undefined ? 8000 : 0),
    ...(flags.queue !== undefined && { max_queued: flags.queue }),
    ...(known && { known }),
    ...(sha256 !== undefined && { weights: sha256 }),
    ...(replica_token !== undefined && { replica_token }),
    ...(certificate && { certificate }),
    ...(flags.log && { log: (line) => process.stdout.write(`${JSON.stringify({ at: new Date().toISOString(), ...line })}\n`) }),
  })
  const problem = await host.warm()
  if (problem !== undefined) throw new IronlawError('IL_FILE', { path: file, reason: `${problem}, which is not what was exported` })
  if (endpoint !== undefined) await writeEndpoint(endpoint, host.url)
  const { context_tokens, slots } = engine.model
  process.stdout.write(`${engine.model.id} at ${host.url}: ${slots} answers at a time, ${context_tokens} tokens each\n`)
  const end = async (): Promise<void> => {
    await host.stop({ drain_s: flags['drain-s'] })
    await engine.close()
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end())
})
