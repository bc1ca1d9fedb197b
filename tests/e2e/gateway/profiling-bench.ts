// What profiling costs at the gateway in processor time: two gateways of one process, of which one profiles, take turns in one run. Whatever else
// the machine does affects both; printed are the medians and the ratio with the interval of resampled pairs of turns.
//   npm run bench:profiling -- --rounds 40
// The thread that finds languages loads its detector, 0.6 s once in the life of a process, in the rounds that do not count.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { parseArgs } from 'node:util'
import { median, quantile } from '@ironlaw/laws/quantile'
import { seeded } from '../../../packages/effects/gateway/test/malformed.ts'
import { connectTo, openSocket, type Sample, streamLoad, unaryLoad } from './load.ts'
import { cpu_s, type Proxy, startEngine, stopAll } from './proxies.ts'
import { type Pair, typicalRatio } from './ratio-interval.ts'

const PORTS = { engine: 21_520, paced: 21_521, unary: 21_530, streams: 21_540 }
const KEY = 'sk-bench'
/** What profiling may cost. */
const GOAL = 0.02
/** Turns of each arm that warm the compilers up. */
const WARM = 3

type Arms = { readonly process: ChildProcess; readonly without: Proxy; readonly with: Proxy }
type Load = (proxy: Proxy, opened: readonly Socket[]) => Promise<Sample>

async function startArms(port: number, engine: number): Promise<Arms> {
  const script = new URL('profiling-gateway.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [script, String(port), String(engine), KEY], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  process.once('exit', () => child.kill('SIGKILL'))
  await untilListening(port)
  const proxy = (name: string, own: number): Proxy => ({
    name,
    port: own,
    headers: { authorization: `Bearer ${KEY}` },
    pid: () => child.pid ?? 0,
  })
  return { process: child, without: proxy('without', port), with: proxy('with', port + 1) }
}

/** The gateway that profiles listens first. */
async function untilListening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const socket = await openSocket(port).catch(() => undefined)
    socket?.destroy()
    if (socket) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`no gateway listens on port ${port}`)
}

/** Pairs of turns, each arm first in every other one. */
async function runTurns(
  arms: Arms,
  { rounds, connections, load }: { readonly rounds: number; readonly connections: number; readonly load: Load },
) {
  const open = (proxy: Proxy): Promise<Socket[]> => Promise.all(Array.from({ length: connections }, () => connectTo(proxy)))
  const opened = { without: await open(arms.without), with: await open(arms.with) }
  const turn = async (side: 'without' | 'with'): Promise<number> => {
    const before = cpu_s(arms[side].pid())
    const { done, chunks, failed } = await load(arms[side], opened[side])
    if (failed > 0) throw new Error(`${failed} requests ${side} profiling failed`)
    return (1e6 * (cpu_s(arms[side].pid()) - before)) / (chunks || done)
  }
  const pairs: Pair[] = []
  for (let round = -WARM; round < rounds; round += 1) {
    const figures = { without: 0, with: 0 }
    for (const side of round % 2 === 0 ? (['without', 'with'] as const) : (['with', 'without'] as const)) figures[side] = await turn(side)
    if (round >= 0) pairs.push({ without: [figures.without], with: [figures.with] })
  }
  for (const socket of [...opened.without, ...opened.with]) socket.destroy()
  return pairs
}

function printPairs(title: string, pairs: readonly Pair[]): void {
  const { ratio, low, high } = typicalRatio(pairs, { share: 0.5, draw: seeded(1) })
  const show = (side: keyof Pair): string => {
    const all = pairs.flatMap((pair) => pair[side])
    return `${median(all).toPrecision(4)} (${quantile(all, 0.025).toPrecision(4)} to ${quantile(all, 0.975).toPrecision(4)})`
  }
  const verdict = high <= 1 + GOAL ? 'within 2 %' : low > 1 + GOAL ? 'MORE than 2 %' : 'not decided by these rounds'
  console.log(
    `${title}: ${show('without')} without, ${show('with')} with, ratio ${ratio.toFixed(4)} (95 %: ${low.toFixed(4)} to ${high.toFixed(4)}), ${verdict}`,
  )
}

const { values: flags } = parseArgs({ options: { rounds: { type: 'string', default: '40' } } })
const rounds = Number(flags.rounds)
process.once('exit', stopAll)
process.once('SIGTERM', () => process.exit(1))

await startEngine({ port: PORTS.engine })
await startEngine({ port: PORTS.paced, pace_ms: 10, chunks: 50 })
const unary = await startArms(PORTS.unary, PORTS.engine)
const streams = await startArms(PORTS.streams, PORTS.paced)

const whole = await runTurns(unary, {
  rounds,
  connections: 32,
  load: (proxy, opened) => unaryLoad(proxy, { connections: opened, requests: 2000 }),
})
printPairs('CPU us/request, answers in one piece', whole)
const streamed = await runTurns(streams, {
  rounds: Math.ceil(rounds / 2),
  connections: 100,
  load: (proxy, opened) => streamLoad(proxy, { streams: opened, rounds: 3 }),
})
printPairs('CPU us/chunk, streams of 50 chunks', streamed)
unary.process.send({ kind: 'report' })
const [{ report_us, bytes }] = (await once(unary.process, 'message')) as [{ readonly report_us: number; readonly bytes: number }]
console.log(`a report of ${bytes} bytes, one in 10 s: ${report_us} us`)
process.exit(0)
