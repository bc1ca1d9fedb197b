// Compares the gateway with a bare engine, nginx, HAProxy and Portkey, in one run on one machine: node tests/e2e/gateway/bench.ts
// [unary] [streams] [slow] [noisy], or --against DIR [--rounds N] to compare this tree with another checkout. PORTKEY names a folder with Portkey installed. Processor time for a request or chunk is what counts (it
// holds on a machine that others use as well); latencies are printed as they were.

import { quantile } from '@ironlaw/laws/quantile'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { compareVersions } from './bench-versions.ts'
import {
  cpu_s,
  direct,
  type Proxy,
  rss_bytes,
  startEngine,
  startHaproxy,
  startNginx,
  startOurs,
  startPipe,
  startPortkey,
  stopAll,
} from './proxies.ts'
import { type Sample, streamLoad, unaryLoad } from './load.ts'
import { measureNoisyTenant } from './noisy-tenant.ts'

const ENGINE = 21_100
const PACED = 21_101
const SLOW = 21_102
const ROUNDS = 3
const { values: flags, positionals } = parseArgs({
  options: { against: { type: 'string' }, rounds: { type: 'string', default: '20' } },
  allowPositionals: true,
})
const requestedParts = new Set(positionals)
const isRequested = (part: string): boolean => requestedParts.size === 0 || requestedParts.has(part)

const printRow = (cells: readonly (string | number)[]): void =>
  console.log(`| ${cells.map((cell) => (typeof cell === 'number' ? cell.toFixed(cell < 10 ? 2 : 0) : cell)).join(' | ')} |`)

async function proxies(engine: number, first: number): Promise<readonly Proxy[]> {
  const portkey = await startPortkey(first + 30, { engine, directory: process.env['PORTKEY'] ?? '' })
  return [
    direct(engine),
    await startNginx(first, engine),
    await startHaproxy(first + 10, engine),
    await startPipe(first + 15, engine),
    await startOurs(first + 20, engine),
    ...(portkey ? [portkey] : []),
  ]
}

type ProxyMeasurement = { readonly proxy: Proxy; each_us: number; rate: number; failed: number; latencies_ms: number[] }

/** Rounds in turn over all proxies, so that what else the machine does meets all of them; the cheapest round of each counts. */
async function compare(
  all: readonly Proxy[],
  { head, load }: { readonly head: readonly string[]; readonly load: (proxy: Proxy) => Promise<Sample> },
): Promise<void> {
  const measured: ProxyMeasurement[] = all.map((proxy) => ({
    proxy,
    each_us: Number.POSITIVE_INFINITY,
    rate: 0,
    failed: 0,
    latencies_ms: [],
  }))
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const one of measured) {
      const before = cpu_s(one.proxy.pid())
      const began = performance.now()
      const { done, chunks, failed, latencies_ms } = await load(one.proxy)
      const count = chunks || done
      // The first round warms the compilers up.
      if (round === 0) continue
      one.each_us = Math.min(one.each_us, (1e6 * (cpu_s(one.proxy.pid()) - before)) / count)
      one.rate = Math.max(one.rate, (1000 * count) / (performance.now() - began))
      one.failed += failed
      if (one.latencies_ms.length === 0 || quantile(latencies_ms, 0.99) < quantile(one.latencies_ms, 0.99)) one.latencies_ms = latencies_ms
    }
  const reference = measured.find(({ proxy }) => proxy.name === 'nginx')?.each_us ?? Number.NaN
  printRow(['proxy', ...head])
  for (const { proxy, each_us, rate, failed, latencies_ms } of measured)
    printRow([proxy.name, rate, each_us, reference / each_us, quantile(latencies_ms, 0.5), quantile(latencies_ms, 0.99), String(failed)])
}

async function compareUnary(all: readonly Proxy[]): Promise<void> {
  console.log('\nunary JSON, 32 connections\n')
  const load = (proxy: Proxy): Promise<Sample> => unaryLoad(proxy, { connections: 32, requests: proxy.name === 'portkey' ? 1000 : 10_000 })
  await compare(all, { head: ['requests/s', 'CPU us/request', 'requests per core against nginx', 'p50 ms', 'p99 ms', 'failed'], load })
  console.log('\nunary JSON at 300 requests/s\n')
  const paced = (proxy: Proxy): Promise<Sample> => unaryLoad(proxy, { connections: 32, requests: 900, perSecond: 300 })
  await compare(all, {
    head: ['requests/s', 'CPU us/request', 'requests per core against nginx', 'p50 ms', 'p99 ms', 'failed'],
    load: paced,
  })
}

async function compareStreams(all: readonly Proxy[]): Promise<void> {
  console.log('\n200-chunk streams, 200 at once, a chunk every 20 ms each\n')
  const load = (proxy: Proxy): Promise<Sample> => streamLoad(proxy, { streams: 200, rounds: 1 })
  await compare(all, {
    head: ['chunks/s', 'CPU us/chunk', 'chunks per core against nginx', 'chunk p50 ms', 'chunk p99 ms', 'failed'],
    load,
  })
}

const descriptors = (): number => Number(/open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1])

/** As many streams as asked for, open all at once, each with a chunk every two seconds. */
async function compareSlowStreams(streams: number): Promise<void> {
  await startEngine({ port: SLOW, pace_ms: 2000, chunks: 8 })
  const ours = await startOurs(21_300, SLOW)
  await streamLoad(ours, { streams: 200, rounds: 1 })
  const before = rss_bytes(ours.pid())
  let most = 0
  const timer = setInterval(() => (most = Math.max(most, rss_bytes(ours.pid()))), 250)
  const { done, failed, chunks } = await streamLoad(ours, { streams, rounds: 1 })
  clearInterval(timer)
  console.log(
    `\n${streams} slow streams at once: ${done} whole, ${failed} dropped, ${chunks} chunks; ${((most - before) / streams / 1024).toFixed(1)} KiB a stream, ${(most / 2 ** 20).toFixed(0)} MiB in all`,
  )
}

/** A tenant with a quota of 600 requests a minute sends 50 times that; another goes on as before. */
async function compareNoisyTenant(): Promise<void> {
  const quota = { requests_per_minute: 600, tokens_per_minute: 1e9, concurrency: 100, kv_tokens: 1e9 }
  const ours = await startOurs(21_320, ENGINE, { tenants: { noisy: quota } })
  const [quiet, loud] = [
    { key: 'sk-bench', perSecond: 300 },
    { key: 'sk-noisy', quota: 600 },
  ]
  await unaryLoad(ours, { connections: 16, requests: 20_000 })
  console.log()
  for (const line of await measureNoisyTenant({ port: ours.port, model: 'm', quiet, noisy: loud, spell_s: 1, spells: 30 }))
    console.log(line)
}

process.once('exit', stopAll)
// Two descriptors a stream; where the limit cannot be raised there are fewer streams.
spawnSync('prlimit', ['--pid', String(process.pid), '--nofile=65536:65536'])
process.once('SIGTERM', () => process.exit(1))
await startEngine({ port: ENGINE })
if (flags.against !== undefined) {
  await startEngine({ port: PACED, pace_ms: 20 })
  const engines = { unary: ENGINE, paced: PACED }
  const isWithin = await compareVersions({ against: flags.against, rounds: Number(flags.rounds), engines })
  process.exit(isWithin ? 0 : 1)
}
if (isRequested('unary')) await compareUnary(await proxies(ENGINE, 21_200))
if (isRequested('streams')) {
  await startEngine({ port: PACED, pace_ms: 20 })
  await compareStreams(await proxies(PACED, 21_240))
}
if (isRequested('slow')) await compareSlowStreams(Math.min(10_000, Math.floor(descriptors() / 2) - 200))
if (isRequested('noisy')) await compareNoisyTenant()
process.exit(0)
