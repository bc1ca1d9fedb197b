// What TLS costs at the gateway: plain HTTP, TLS to clients, and TLS on both sides (the engine asks for the gateway's certificate) take turns in
// one run, on loopback.   npm run bench:tls -- --rounds 5
// A ratio is that of two turns of one round, so other work on the machine affects both; printed are the median round and the range.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { parseArgs } from 'node:util'
import { openAuthority } from '@ironlaw/certificates'
import { median } from '@ironlaw/laws/quantile'
import { connectTo, fetchStatus, requestText, type Sample, streamLoad, unaryLoad } from './load.ts'
import { cpu_s, type Proxy, startEngine, startOurs, stopAll, type TlsFiles } from './proxies.ts'

const PORTS = { engine: 21_500, secureEngine: 21_501, paced: 21_502, securePaced: 21_503, gateways: 21_510 }
const PACED = { pace_ms: 20, chunks: 50 }

type Turn = { readonly cpu_us: number; readonly rate: number; readonly p50_ms: number }
type Figure = keyof Turn
type Load = (proxy: Proxy) => Promise<Sample>
/** Of each arm, a turn a round. */
type Turns = ReadonlyMap<string, readonly Turn[]>

/** A certificate of the site's authority, as gateways and replicas get one. */
async function writeCertificate(directory: string): Promise<TlsFiles> {
  const authority = await openAuthority(join(directory, 'authority'))
  const { cert, key, ca } = await authority.issue({
    holder: 'gateway bench',
    names: ['localhost'],
    addresses: ['127.0.0.1'],
    usage: 'both',
  })
  const files = { cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem'), ca: join(directory, 'ca.pem') }
  writeFileSync(files.cert, cert)
  writeFileSync(files.key, key, { mode: 0o600 })
  writeFileSync(files.ca, ca)
  return files
}

/** Plain HTTP first: the others are compared with it. */
async function startArms(
  first: number,
  tls: TlsFiles,
  engines: { readonly plain: number; readonly secure: number },
): Promise<readonly Proxy[]> {
  return [
    await startOurs(first, engines.plain, { name: 'plain' }),
    await startOurs(first + 2, engines.plain, { name: 'TLS', tls }),
    await startOurs(first + 4, engines.secure, { name: 'TLS, mutual TLS behind', tls, isEngineSecure: true }),
  ]
}

type Opened = (proxy: Proxy) => readonly Socket[]

/** Opened before the first turn: a handshake costs as much as several requests, and is measured by itself. */
async function withConnections(arms: readonly Proxy[], count: number, work: (opened: Opened) => Promise<void>): Promise<void> {
  const opened = new Map<Proxy, readonly Socket[]>()
  for (const arm of arms) opened.set(arm, await Promise.all(Array.from({ length: count }, () => connectTo(arm))))
  await work((proxy) => opened.get(proxy) ?? [])
  for (const socket of [...opened.values()].flat()) socket.destroy()
}

/** One request a connection, eight connections at once. With `isResumed` each TLS connection but the first takes up the session of before. */
async function connectionLoad(
  proxy: Proxy,
  { requests, isResumed }: { readonly requests: number; readonly isResumed: boolean },
): Promise<Sample> {
  const text = requestText(proxy, false)
  const latencies_ms: number[] = []
  const count = { sent: 0, failed: 0 }
  const requestOnce = async (session: Buffer | undefined): Promise<Buffer | undefined> => {
    const at = performance.now()
    const socket = await connectTo(proxy, isResumed && session ? { session } : {})
    const next = sessionOf(socket)
    const status = await fetchStatus(socket, text)
    latencies_ms.push(performance.now() - at)
    const isAsMeant = !(socket instanceof TLSSocket) || socket.isSessionReused() === (isResumed && session !== undefined)
    if (status !== 200 || !isAsMeant) count.failed += 1
    socket.destroy()
    return next()
  }
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      let session: Buffer | undefined
      while (count.sent < requests) {
        count.sent += 1
        session = await requestOnce(session)
      }
    }),
  )
  return { latencies_ms, done: count.sent, failed: count.failed, chunks: 0 }
}

/** TLS 1.3 sends a session after the handshake, before the first answer. */
function sessionOf(socket: Socket): () => Buffer | undefined {
  let newest: Buffer | undefined
  socket.on('session', (session: Buffer) => (newest = session))
  return () => newest
}

async function runTurn(proxy: Proxy, load: Load): Promise<Turn> {
  const cpu = cpu_s(proxy.pid())
  const began = performance.now()
  const { done, chunks, failed, latencies_ms } = await load(proxy)
  if (failed > 0) throw new Error(`${failed} requests to "${proxy.name}" failed`)
  const count = chunks || done
  return {
    cpu_us: (1e6 * (cpu_s(proxy.pid()) - cpu)) / count,
    rate: (1000 * count) / (performance.now() - began),
    p50_ms: median(latencies_ms),
  }
}

/** Another arm begins each round; the first round warms the compilers up. */
async function runRounds(arms: readonly Proxy[], rounds: number, load: Load): Promise<Turns> {
  const turns = new Map<string, Turn[]>(arms.map(({ name }) => [name, []]))
  for (let round = 0; round <= rounds; round += 1)
    for (const arm of [...arms.slice(round % arms.length), ...arms.slice(0, round % arms.length)]) {
      const turn = await runTurn(arm, load)
      if (round > 0) turns.get(arm.name)?.push(turn)
    }
  return turns
}

const show = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3))

/** The median and, in brackets, the least and the most of all rounds. */
const withRange = (values: readonly number[]): string =>
  `${show(median(values))} (${show(Math.min(...values))} to ${show(Math.max(...values))})`

/** A row for each arm: the figure, and its ratio or difference to plain HTTP in the same round. */
function printFigure(title: string, turns: Turns, { figure, as }: { readonly figure: Figure; readonly as: 'ratio' | 'difference' }): void {
  const plain = (turns.get('plain') ?? []).map((turn) => turn[figure])
  for (const [name, all] of turns) {
    const values = all.map((turn) => turn[figure])
    const compared = values.map((value, round) =>
      as === 'ratio' ? value / (plain[round] ?? Number.NaN) : value - (plain[round] ?? Number.NaN),
    )
    console.log(`| ${title} | ${name} | ${show(median(values))} | ${name === 'plain' ? '' : `${as} ${withRange(compared)}`} |`)
  }
}

const { values: flags } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } })
const rounds = Number(flags.rounds)
const directory = mkdtempSync(join(tmpdir(), 'ironlaw-tls-bench-'))
process.once('exit', () => {
  stopAll()
  rmSync(directory, { recursive: true, force: true })
})
process.once('SIGTERM', () => process.exit(1))

const tls = await writeCertificate(directory)
await startEngine({ port: PORTS.engine })
await startEngine({ port: PORTS.secureEngine, mutualTls: tls })
await startEngine({ port: PORTS.paced, ...PACED })
await startEngine({ port: PORTS.securePaced, ...PACED, mutualTls: tls })
const arms = await startArms(PORTS.gateways, tls, { plain: PORTS.engine, secure: PORTS.secureEngine })
const streamArms = await startArms(PORTS.gateways + 10, tls, { plain: PORTS.paced, secure: PORTS.securePaced })
// Behind the gateway connections stay open: the third arm would repeat the second.
const frontArms = arms.slice(0, 2)

const began = performance.now()
console.log('| measured | arm | median | compared with plain, by round |\n| --- | --- | --- | --- |')
await withConnections(arms, 32, async (opened) => {
  const full = await runRounds(arms, rounds, (proxy) => unaryLoad(proxy, { connections: opened(proxy), requests: 2000 }))
  printFigure('requests/s, 32 kept connections', full, { figure: 'rate', as: 'ratio' })
  printFigure('CPU us/request', full, { figure: 'cpu_us', as: 'ratio' })
  const calm = await runRounds(arms, rounds, (proxy) => unaryLoad(proxy, { connections: opened(proxy), requests: 150, perSecond: 200 }))
  printFigure('ms to the answer at 200 requests/s, p50', calm, { figure: 'p50_ms', as: 'difference' })
})
await withConnections(streamArms, 100, async (opened) => {
  const streamed = await runRounds(streamArms, rounds, (proxy) => streamLoad(proxy, { streams: opened(proxy), rounds: 1 }))
  printFigure('CPU us/chunk, 100 streams at once', streamed, { figure: 'cpu_us', as: 'ratio' })
  printFigure('ms from engine to client of a chunk, p50', streamed, { figure: 'p50_ms', as: 'difference' })
})
const fresh = await runRounds(frontArms, rounds, (proxy) => connectionLoad(proxy, { requests: 120, isResumed: false }))
printFigure('new connections/s, a request each', fresh, { figure: 'rate', as: 'ratio' })
printFigure('CPU us/new connection', fresh, { figure: 'cpu_us', as: 'difference' })
printFigure('ms from connecting to the answer, p50', fresh, { figure: 'p50_ms', as: 'difference' })
const resumed = await runRounds(frontArms, rounds, (proxy) => connectionLoad(proxy, { requests: 120, isResumed: true }))
printFigure('CPU us/resumed connection', resumed, { figure: 'cpu_us', as: 'difference' })
console.log(`\n${rounds} rounds in ${((performance.now() - began) / 1000).toFixed(0)} s`)
process.exit(0)
