// A gateway as a process, in front of an engine stub and of the real engine host, under requests that are wrong in every way the
// generators know. It must answer all of them, with no 5xx of its own, hold no more memory at the end than after warming up, and still
// serve well.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { hash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEngineStub } from '../../packages/effects/gateway/test/engine-stub.ts'
import { type GatewayProcess, startGatewayProcess } from '../e2e/gateway/gateway-process.ts'
import { KEY, OTHER_KEY, snapshotOf } from '../../packages/effects/gateway/test/setting.ts'
import { GROWTH_LIMIT_BYTES, growth, type Growth, type Sample } from './memory.ts'
import { exchange, hammer, type RequestFault, type Tally } from './gateway-requests.ts'

export type GatewayReport = {
  readonly summary: string
  readonly requests: number
  readonly seconds: number
  readonly statuses: Readonly<Record<string, number>>
  readonly growth: { readonly gateway: Growth | undefined; readonly engineHost: Growth | undefined }
  readonly faults: readonly GatewayFault[]
}

type GatewayFault = { readonly message: string; readonly file: string; readonly replay: string }

const SAMPLES = 20
const FEWEST_SAMPLES = 6
const SAMPLE_S = 5
const LOOK_MS = 20
const PROBE = ['--expose-gc', '--disable-warning=ExperimentalWarning', '--import', new URL('memory-probe.ts', import.meta.url).href]

type FuzzSettings = { readonly seed: number; readonly seconds: number; readonly directory: string }

export async function fuzzGateway({ seed, seconds, directory }: FuzzSettings): Promise<GatewayReport> {
  const { stub, host, gateway } = await startAll()
  const tally = newTally()
  const samples: HeldSamples = { gateway: [], engineHost: [] }
  const began = performance.now()
  const dead = new AbortController()
  for (const [name, { child, output }] of Object.entries({ gateway, 'engine host': host }))
    child.once('exit', (code, signal) => {
      tally.faults.push({ message: `the ${name} ended with ${signal ?? code}: ${output().slice(-500)}`, request: NOTHING })
      dead.abort()
    })
  const samplesAtAll = Math.round(Math.min(SAMPLES, Math.max(FEWEST_SAMPLES, seconds / SAMPLE_S)))
  const look = async (): Promise<void> => {
    for (let sample = 0; sample < samplesAtAll && !dead.signal.aborted; sample += 1) {
      const drawn = seed + samples.gateway.length
      await hammer({ url: gateway.url, seed: drawn, seconds: seconds / samplesAtAll, tally, signal: dead.signal })
      const at_s = (performance.now() - began) / 1000
      if (dead.signal.aborted) break
      samples.gateway.push({ at_s, bytes: await readHeldBytes(gateway) })
      samples.engineHost.push({ at_s, bytes: await readHeldBytes(host) })
    }
  }
  await look()
  let grown = growthOf(samples)
  if (grewTooMuch(grown)) {
    // What leaks goes on growing; what was filled once, or was not yet freed at one look, does not.
    const before = samples.gateway.length
    await look()
    grown = growthOf({ gateway: samples.gateway.slice(before), engineHost: samples.engineHost.slice(before) })
  }
  if (!dead.signal.aborted) await checkAlive(gateway.url, tally)
  await end(host)
  gateway.child.removeAllListeners('exit')
  await Promise.race([gateway.stop(), once(gateway.child, 'exit')])
  await stub.stop()
  for (const [name, one] of Object.entries(grown))
    if (one && one.bytes > GROWTH_LIMIT_BYTES)
      tally.faults.push({ message: `${name} holds ${(one.bytes / 2 ** 20).toFixed(1)} MiB more than after the warm-up`, request: NOTHING })
  const faults = tally.faults.map((fault) => saveFault(directory, fault))
  return reportOf(tally, { growth: grown, seconds: (performance.now() - began) / 1000, faults })
}

type HeldSamples = { readonly gateway: Sample[]; readonly engineHost: Sample[] }

const growthOf = ({ gateway, engineHost }: HeldSamples): GatewayReport['growth'] => ({
  gateway: growth(gateway),
  engineHost: growth(engineHost),
})

const grewTooMuch = ({ gateway, engineHost }: GatewayReport['growth']): boolean =>
  [gateway, engineHost].some((one) => one !== undefined && one.bytes > GROWTH_LIMIT_BYTES)

/** The bytes of one connection again, at a gateway of its own. */
export async function replayAtGateway(input: Uint8Array): Promise<number> {
  const { stub, host, gateway } = await startAll()
  const tally = newTally()
  await exchange(gateway.url, [Buffer.from(input)], tally)
  await checkAlive(gateway.url, tally)
  await end(host)
  gateway.child.removeAllListeners('exit')
  await Promise.race([gateway.stop(), once(gateway.child, 'exit')])
  await stub.stop()
  console.log(`gateway-process: ${JSON.stringify(Object.fromEntries(tally.statuses))}`, ...tally.faults.map(({ message }) => message))
  return tally.faults.length === 0 ? 0 : 1
}

const NOTHING = new Uint8Array()

const newTally = (): Tally => ({ sent: 0, answered: 0, statuses: new Map(), faults: [] })

async function startAll() {
  const stub = await startEngineStub()
  const host = await startHost()
  return { stub, host, gateway: await startGateway([stub.url, host.url]) }
}

function saveFault(directory: string, { message, request }: RequestFault): GatewayFault {
  if (request.length === 0) return { message, file: '', replay: '' }
  const folder = join(directory, 'gateway-process')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, hash('sha256', request).slice(0, 12))
  writeFileSync(file, request)
  return { message, file, replay: `npm run fuzz -- --replay ${file}` }
}

type MeasuredReport = Pick<GatewayReport, 'growth' | 'seconds' | 'faults'>

function reportOf(tally: Tally, { growth: grown, seconds, faults }: MeasuredReport): GatewayReport {
  const statuses = Object.fromEntries([...tally.statuses].toSorted(([one], [other]) => one.localeCompare(other)))
  const slope = (one: Growth | undefined): string => (one ? `${(one.bytes_per_minute / 1024).toFixed(0)} kB/min` : 'unknown')
  const summary =
    `${tally.answered} of ${tally.sent} requests answered in ${seconds.toFixed(0)} s (${(tally.answered / seconds).toFixed(0)} per s), ` +
    `${JSON.stringify(statuses)}, held: gateway ${slope(grown.gateway)}, engine host ${slope(grown.engineHost)}, ${faults.length} faults`
  return { summary, requests: tally.answered, seconds, statuses, growth: grown, faults }
}

type Program = { readonly child: ChildProcess; readonly output: () => string }

async function startHost(): Promise<Program & { readonly url: string }> {
  const child = spawn(process.execPath, [...PROBE, fileURLToPath(new URL('engine-host-process.ts', import.meta.url))])
  let printed = ''
  const take = (data: Buffer): void => void (printed += data.toString())
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  const output = (): string => printed
  const url = await waitForOutput({ child, output }, /engine at (\S+)/)
  return { child, output, url }
}

const startGateway = ([stub = '', host = '']: readonly string[]): Promise<GatewayProcess> =>
  startGatewayProcess(
    snapshotOf([stub], {
      key: { cache_s: 1, log: 'text' },
      limits: { body_bytes: 100_000, body_s: 1 },
      model: { max_output_tokens: 16 },
      pools: { host: { replicas: [{ id: 'h0', url: host }], model: 'simulated' } },
      models: { h: { targets: [{ pool: 'host' }], max_output_tokens: 4 } },
    }),
    { nodeFlags: PROBE },
  )

async function readHeldBytes({ child, output }: Program): Promise<number> {
  const from = output().length
  child.kill('SIGUSR2')
  return Number(await waitForOutput({ child, output: () => output().slice(from) }, /held (\d+) bytes/))
}

/** What a program prints, once it does; empty where it ends before. */
async function waitForOutput({ child, output }: Program, pattern: RegExp): Promise<string> {
  while (child.exitCode === null && child.signalCode === null) {
    const found = pattern.exec(output())?.[1]
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  return ''
}

/** After everything, both models answer a plain request of each tenant. */
async function checkAlive(url: string, tally: Tally): Promise<void> {
  for (const key of [KEY, OTHER_KEY])
    for (const model of ['m', 'h']) {
      const body = JSON.stringify({ model, messages: [{ role: 'user', content: `tokens=1 ${key}` }] })
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
      const { status } = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
      if (status !== 200) tally.faults.push({ message: `a plain request for "${model}" got ${status} in the end`, request: NOTHING })
    }
}

async function end({ child }: Program): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.removeAllListeners('exit')
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}
