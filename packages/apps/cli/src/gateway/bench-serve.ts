// `ironlaw bench serve`: load on a gateway, in the scenarios of MLPerf Inference (https://github.com/mlcommons/inference_policies):
// single-stream (one after another), offline (N at once, as fast as possible), server (open-loop arrivals, random or from a trace).

import { setTimeout as pause } from 'node:timers/promises'
import { IronlawError } from '@ironlaw/contracts'
import { seconds, show } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { readTrace } from '../simulate/simulate-serve-replica.ts'
import { table } from '../table.ts'
import { type BenchFigures, benchFigures, type Estimate, type TimedRequest } from './bench-statistics.ts'
import { compareWithEngine, type ComparisonFlags, engineComparison } from './bench-against-engine.ts'
import { comparisonText } from './bench-against-text.ts'
import {
  fittingLengths,
  isTooLong,
  type Lengths,
  lengthsNote,
  promptOf,
  type Prompts,
  shorterLengths,
  fetchUsage,
  fetchContextLength,
  measureTokenization,
  UNKNOWN_TOKENIZATION,
} from './bench-lengths.ts'
import { chatStream, type ChatRequest, type ChatUsage } from './chat-stream.ts'
import type { Gateway } from './fetch-gateway.ts'
import { type GatewayFlags, gatewayOf } from './gateway-flags.ts'

export type BenchFlags = GatewayFlags &
  ComparisonFlags & {
    readonly scenario: string
    readonly rate: string
    readonly concurrency: string
    readonly seconds: string
    readonly warmUp: string
    readonly input?: string
    readonly output?: string
    readonly trace?: string
    readonly speed: string
  }

const SCENARIOS = ['single-stream', 'offline', 'server'] as const
const GIVE_UP_MS = 120_000

type BenchLoad = {
  readonly gateway: Gateway
  readonly question: (number: number) => ChatRequest
  readonly now_s: () => number
}

export const benchServe = (model: string, flags: BenchFlags): Promise<CommandAnswer> =>
  flags.trace === undefined ? benchScenario(model, flags) : benchTrace(model, flags, flags.trace)

type Amount = 'rate' | 'concurrency' | 'seconds' | 'warmUp' | 'input' | 'output' | 'speed'

function amountIn(flags: BenchFlags, name: Amount): number {
  const value = Number(flags[name])
  if (!(value > 0))
    throw new IronlawError('IL_USAGE', { problem: `--${name} ${flags[name]}: expected a number above 0`, command: 'bench serve' })
  return value
}

const clock = (): (() => number) => {
  const began = performance.now()
  return () => (performance.now() - began) / 1000
}

async function benchScenario(model: string, flags: BenchFlags): Promise<CommandAnswer> {
  const scenario = SCENARIOS.find((each) => each === flags.scenario)
  if (!scenario)
    throw new IronlawError('IL_USAGE', {
      problem: `--scenario ${flags.scenario}: expected one of ${SCENARIOS.join(', ')}`,
      command: 'bench serve',
    })
  const amount = (name: Amount): number => amountIn(flags, name)
  const [from_s, tested_s] = [amount('warmUp'), amount('seconds')]
  const given = {
    ...(flags.input !== undefined && { input: amount('input') }),
    ...(flags.output !== undefined && { output: amount('output') }),
  }
  // Report problems before anything is measured.
  const wanted = engineComparison(flags)
  const gateway = gatewayOf(flags, 'bench serve')
  const prompts = await fitPrompts(gateway, model, given)
  const load: BenchLoad = { gateway, question: (number) => promptOf(prompts, number), now_s: clock() }
  const spell = { from_s, to_s: from_s + tested_s }
  const all =
    scenario === 'server'
      ? await runOpenLoop(load, drawnArrivals(amount('rate'), spell.to_s))
      : await runClosedLoop(load, scenario === 'offline' ? amount('concurrency') : 1, spell.to_s)
  const figures = benchFigures(all, spell)
  const against = wanted && compareWithEngine(wanted, all, spell)
  return {
    json: { scenario, model, lengths: prompts.lengths, ...figures, ...(against && { prediction: against }) },
    text: () => [benchText(scenario, figures), ...(against ? ['', comparisonText(against)] : [])].join('\n'),
    notes: lengthsNote(prompts.lengths, given),
    ...((figures.noise.length > 0 || against?.answer === 'untold') && { exit: 3 }),
  }
}

/** Every request of the trace counts, and its rate is given: there is no warm-up, and varying throughput is not an error. */
async function benchTrace(model: string, flags: BenchFlags, file: string): Promise<CommandAnswer> {
  const [trace, speed] = [readTrace(file), amountIn(flags, 'speed')]
  if (flags.engine !== undefined)
    throw new IronlawError('IL_USAGE', { problem: '--trace and --engine cannot be combined', command: 'bench serve' })
  const gateway = gatewayOf(flags, 'bench serve')
  const lengths = Array.from(trace.prompt, (input, index) => ({ input, output: trace.output[index] ?? 1 }))
  const longest = lengths.reduce((most, each) => (each.input + each.output > most.input + most.output ? each : most))
  const prompts = await fitPrompts(gateway, model, longest)
  const question = (number: number): ChatRequest => promptOf({ ...prompts, lengths: lengths[number] ?? longest }, number)
  const arrivals = Array.from(trace.at_s, (at_s) => at_s / speed)
  const load: BenchLoad = { gateway, question, now_s: clock() }
  const all = await runOpenLoop(load, arrivals)
  const spell = { from_s: 0, to_s: load.now_s() }
  const figures = benchFigures(all, spell, { isSteady: false })
  return {
    json: { scenario: 'trace', model, lengths: longest, ...figures },
    text: () => benchText('trace', figures),
    ...(figures.noise.length > 0 && { exit: 3 }),
  }
}

/** Probes with single requests before measuring: one that does not fit, or is refused permanently, would fail every time. */
async function fitPrompts(gateway: Gateway, model: string, given: Partial<Lengths>): Promise<Prompts> {
  let tokenization = UNKNOWN_TOKENIZATION
  const uncounted = await catchError(async () => {
    tokenization = await measureTokenization(gateway, model, GIVE_UP_MS)
  })
  // An overloaded server cannot count tokens; the measurement will show the overload.
  if (uncounted !== undefined && !isOverload(uncounted)) throw uncounted
  let lengths = fittingLengths(given, await fetchContextLength(gateway, model))
  for (;;) {
    const prompts = { model, lengths, tokenization }
    const problem = await catchError(async () => void (await fetchUsage(gateway, promptOf(prompts, 0), GIVE_UP_MS)))
    if (problem === undefined || isOverload(problem)) return prompts
    const shorter = isTooLong(problem) ? shorterLengths(lengths, given) : undefined
    if (!shorter) throw problem
    lengths = shorter
  }
}

/** Each client sends its next request as soon as it has its answer. */
async function runClosedLoop(load: BenchLoad, workers: number, until_s: number): Promise<readonly TimedRequest[]> {
  const all: TimedRequest[] = []
  const work = async (): Promise<void> => {
    while (load.now_s() < until_s) all.push(await timeRequest(load, all.length, load.now_s()))
  }
  await Promise.all(Array.from({ length: workers }, work))
  return all
}

/** Exponential gaps. */
function* drawnArrivals(rate: number, until_s: number): Generator<number> {
  for (let dueAt = 0; dueAt < until_s; dueAt -= Math.log(1 - Math.random()) / rate) yield dueAt
}

/** A slow answer does not delay later requests, so queues build up as they would for users. */
async function runOpenLoop(load: BenchLoad, arrivals: Iterable<number>): Promise<readonly TimedRequest[]> {
  const asked: Promise<TimedRequest>[] = []
  for (const dueAt of arrivals) {
    const wait_s = dueAt - load.now_s()
    if (wait_s > 0) await pause(1000 * wait_s)
    asked.push(timeRequest(load, asked.length, dueAt))
  }
  return Promise.all(asked)
}

async function timeRequest({ gateway, question, now_s }: BenchLoad, number: number, dueAt: number): Promise<TimedRequest> {
  const sentAt = now_s()
  let firstAt = Number.NaN
  let pieces = 0
  let spent: ChatUsage | undefined
  const problem = await catchError(async () => {
    for await (const piece of chatStream(gateway, question(number), AbortSignal.timeout(GIVE_UP_MS))) {
      if ('spent' in piece) {
        spent = piece.spent
        continue
      }
      if (pieces === 0) firstAt = now_s()
      pieces += 1
    }
  })
  // A chunk may hold several tokens; only the engine knows.
  const tokens = spent?.completion_tokens ?? pieces
  return {
    dueAt,
    sentAt,
    firstAt,
    endedAt: now_s(),
    tokens,
    ok: problem === undefined && pieces > 0,
    ...(spent && { spent }),
    ...(problem !== undefined && { problem: problem.message }),
  }
}

/** A failed request is a result of the test and does not end it. */
const catchError = (work: () => Promise<void>): Promise<Error | undefined> =>
  work().then(
    () => undefined,
    (cause: unknown) => (cause instanceof Error ? cause : new Error(String(cause))),
  )

/** A refusal that depends on load; any other kind would fail every request of the test. */
const isOverload = (problem: Error): boolean =>
  problem instanceof IronlawError && /rate_limit|overloaded|HTTP 5\d\d|HTTP 429/.test(problem.message)

function benchText(scenario: string, figures: BenchFigures): string {
  const rate = ({ value, low, high }: Estimate): readonly string[] => [value.toFixed(2), `${low.toFixed(2)} to ${high.toFixed(2)}`]
  const time = ({ value, low, high }: Estimate): readonly string[] => [
    show(seconds(value), 's'),
    `${show(seconds(low), 's')} to ${show(seconds(high), 's')}`,
  ]
  const times = (name: string, of: BenchFigures['ttft_s']): readonly (readonly string[])[] =>
    (['p50', 'p90', 'p99'] as const).map((percentile) => [`${name} ${percentile}`, ...time(of[percentile])])
  const rows = [
    ['requests a second', ...rate(figures.requests_per_s)],
    ['tokens a second', ...rate(figures.tokens_per_s)],
    ...times('first token', figures.ttft_s),
    ...times('per token', figures.tpot_s),
    ...times('whole answer', figures.latency_s),
  ]
  return [
    `${scenario}: ${figures.answers} answers, ${figures.failed} failed`,
    ...(figures.answers === 0 ? [] : ['', table(['FIGURE', 'VALUE', '95 %'], rows, [1])]),
    ...(figures.noise.length === 0 ? [] : ['', 'result not valid:', ...figures.noise.map((each) => `  ${each}`)]),
  ].join('\n')
}
