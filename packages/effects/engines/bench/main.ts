// The engine host against node-llama-cpp's own loop, and what prefix reuse saves. Rounds of the two take turns, so that what else runs on the
// machine meets both; the fastest round of each counts, which that disturbs least. Both get the same threads: one less than there are cores,
// since a server also has to answer. `npm run bench:engine`, or shorter: BENCH_ROUNDS=2 BENCH_PARALLEL=16 BENCH_TOKENS=32.

import { type ChildProcess, spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { hasTorch, seededModel } from '../src/llamacpp/seeded-model.fixture.ts'
import { Connection } from './client.ts'
import { promptOf } from './round.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 8)
const THREADS = Math.max(1, availableParallelism() - 1)
/** 25 million weights: what one core generates a few hundred tokens a second with. */
const SHAPE = { hidden: 512, layers: 8, heads: 8, context: 2048 }

/** The short ones are mostly beginning, where a server's batches fill one by one. */
const LENGTHS = (process.env['BENCH_TOKENS'] ?? '128,32').split(',').map(Number)

class Peer {
  readonly #process: ChildProcess
  readonly #lines: Interface
  readonly #waiting: ((line: string) => void)[] = []
  readonly #seen: string[] = []

  constructor(program: string, argv: readonly (string | number)[]) {
    this.#process = spawn(process.execPath, [join(import.meta.dirname, program), ...argv.map(String)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    if (!this.#process.stdout) throw new Error('no output')
    this.#lines = createInterface({ input: this.#process.stdout })
    this.#lines.on('line', (line) => {
      const next = this.#waiting.shift()
      if (next) next(line)
      else this.#seen.push(line)
    })
  }

  line(): Promise<string> {
    const seen = this.#seen.shift()
    if (seen !== undefined) return Promise.resolve(seen)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  async ask(line: string): Promise<Readonly<Record<string, number>>> {
    this.#process.stdin?.write(`${line}\n`)
    return JSON.parse(await this.line())
  }

  async end(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve))
    this.#process.stdin?.end()
    await ended
  }
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
const formatNumber = (value: number, digits = 2): string => value.toFixed(digits)

type Rates = { readonly bare: number; readonly host: number; readonly bareCpu: number; readonly hostCpu: number; readonly rss_mb: number }

async function parallel(file: string, count: number): Promise<void> {
  const bare = new Peer('bare-loop.ts', [file, count, THREADS])
  const host = new Peer('host-process.ts', [file, count, THREADS])
  await bare.line()
  const url = await host.line()
  for (const tokens of LENGTHS) {
    const rounds: Rates[] = []
    // The first round warms both up.
    for (let round = 0; round <= ROUNDS; round += 1) {
      const rates = await oneRound({ bare, host, url, count, tokens, round })
      if (round > 0) rounds.push(rates)
    }
    const best = { bare: Math.max(...rounds.map((each) => each.bare)), host: Math.max(...rounds.map((each) => each.host)) }
    const cpu = Math.min(...rounds.map((each) => each.bareCpu)) / Math.min(...rounds.map((each) => each.hostCpu))
    const pairs = median(rounds.map((each) => each.host / each.bare))
    console.log(
      `${String(count).padStart(3)} parallel, ${String(tokens).padStart(3)} tokens each: bare ${formatNumber(best.bare, 0)} tokens/s, host ${formatNumber(best.host, 0)}, ratio ${formatNumber(best.host / best.bare)} (median of pairs ${formatNumber(pairs)}); tokens per processor second, ratio ${formatNumber(cpu)}; ${formatNumber(median(rounds.map((each) => each.rss_mb)), 0)} MB`,
    )
  }
  await Promise.all([bare.end(), host.end()])
}

type OneRound = {
  readonly bare: Peer
  readonly host: Peer
  readonly url: string
  readonly count: number
  readonly tokens: number
  readonly round: number
}

async function oneRound({ bare, host, url, count, tokens, round }: OneRound): Promise<Rates> {
  const { took_s = 0, cpu_s: bareCpu = 0 } = await bare.ask(JSON.stringify({ round, tokens }))
  // New for every round: while the loop has its turn, the host closes what is idle.
  const connections = await Promise.all(Array.from({ length: count }, () => Connection.open(url)))
  const { cpu_s: before = 0 } = await host.ask('cpu')
  const began = performance.now()
  const answers = await Promise.all(connections.map((connection, index) => connection.stream(promptOf(round, index), tokens)))
  const host_s = (performance.now() - began) / 1000
  const { cpu_s: after = 0, rss_mb = 0 } = await host.ask('cpu')
  for (const connection of connections) connection.close()
  const made = answers.reduce((sum, answer) => sum + answer.completion_tokens, 0)
  if (made !== count * tokens) throw new Error(`${made} tokens instead of ${count * tokens}`)
  return { bare: made / took_s, host: made / host_s, bareCpu, hostCpu: after - before, rss_mb }
}

async function prefix(file: string): Promise<void> {
  const host = new Peer('host-process.ts', [file, 4, THREADS, 2048])
  const connection = await Connection.open(await host.line())
  const ratios: number[] = []
  const firsts: number[] = []
  const seconds: number[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    const shared = `${round} `.padEnd(1000, `conversation ${round} so far; `)
    const first = await connection.stream(`${shared}question one`, 4)
    const second = await connection.stream(`${shared}question two`, 4)
    if (second.cached_tokens < 1000) throw new Error(`only ${second.cached_tokens} of 1000 tokens were reused`)
    if (round === 0) continue
    ratios.push(first.first_ms / second.first_ms)
    firsts.push(first.first_ms)
    seconds.push(second.first_ms)
  }
  console.log(
    `prefix of 1,000 tokens: first token after ${formatNumber(Math.min(...firsts), 0)} ms, then ${formatNumber(Math.min(...seconds), 1)} ms: ${formatNumber(Math.min(...firsts) / Math.min(...seconds), 1)} times sooner (median of pairs ${formatNumber(median(ratios), 1)})`,
  )
  connection.close()
  await host.end()
}

if (!hasTorch()) console.log('the model for this is made with PyTorch, which is not installed')
else {
  const file = seededModel(SHAPE, 'q8_0')
  console.log(`25 M weights in Q8_0, ${THREADS} of ${availableParallelism()} cores, best of ${ROUNDS} rounds`)
  for (const count of (process.env['BENCH_PARALLEL'] ?? '1,4,16,64').split(',').map(Number)) await parallel(file, count)
  await prefix(file)
}
