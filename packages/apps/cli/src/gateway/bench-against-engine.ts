// Compares measured requests with the same requests in the simulator, using the calibrated engine: where the seconds went and were
// predicted to go, the error of each figure, and the correction of the engine that follows.

import { quantile } from '@ironlaw/laws/quantile'
import { IronlawError } from '@ironlaw/contracts'
import { type RouterName, type ServingLedger, servingLedger } from '@ironlaw/policies/serving'
import {
  type CalibratedEngine,
  type EngineFactors,
  figuresOf,
  isRouter,
  ROUTER_NAMES,
  type AccountedRequest,
  SERVED_FIGURES,
  type ServedFigure,
  simulatedRequests,
  fittedFactors,
} from '@ironlaw/simulator/serving'
import { correctedEntry } from '../calibrate/engine-entry.ts'
import { findEngine, type NamedEngine, sharingOf, writeEngine } from '../calibrate/engine-source.ts'
import { wholeNumber } from '../whole-number.ts'
import { isWithin, LEAST_ANSWERS, MOST_FAILED, type TimeWindow, type TimedRequest } from './bench-statistics.ts'
import type { ChatUsage } from './chat-stream.ts'

const COMMAND = 'bench serve'
/** Default of a gateway's pool. */
const DEFAULT_ROUTER = 'kv-aware'

export type ComparisonFlags = {
  readonly engine?: string
  readonly replicas?: string
  readonly router?: string
  readonly oneMachine?: true
  readonly feedback?: true
}

export type EngineComparison = {
  readonly named: NamedEngine
  readonly replicas: number
  readonly router: RouterName
  readonly sharing: readonly number[]
  readonly feedback: boolean
}

type ComparisonSetup = {
  readonly engine: string
  readonly version: number
  readonly replicas: number
  readonly router: RouterName
  readonly one_machine: boolean
}

export type ComparisonResult = ComparisonSetup &
  (
    | { readonly answer: 'untold'; readonly why: string }
    | {
        readonly answer: 'compared'
        readonly requests: number
        /** Time outside the engine, measured during the warm-up: the simulator does not model networks. */
        readonly network_s: number
        readonly ledger: ServingLedger
        readonly figures: readonly ComparedFigure[]
        readonly feedback?: CalibrationFeedback
      }
  )

export type ComparedFigure = {
  readonly figure: ServedFigure
  readonly measured: number
  readonly predicted: number
  /** Relative to the measured value. */
  readonly error: number
}

export type CalibrationFeedback =
  | { readonly taught: true; readonly factors: EngineFactors; readonly version: number; readonly file: string }
  | { readonly taught: false; readonly why: string }

/** Undefined unless requested. */
export function engineComparison({
  engine,
  replicas,
  router = DEFAULT_ROUTER,
  oneMachine,
  feedback,
}: ComparisonFlags): EngineComparison | undefined {
  if (engine === undefined) {
    if ((replicas ?? oneMachine ?? feedback) === undefined && router === DEFAULT_ROUTER) return undefined
    throw new IronlawError('IL_USAGE', {
      problem: 'give --engine as well: the one that "ironlaw calibrate engine" measured, to compare with',
      command: COMMAND,
    })
  }
  if (!isRouter(router))
    throw new IronlawError('IL_USAGE', {
      problem: `unknown router "${router}"; known routers: ${ROUTER_NAMES.join(', ')}`,
      command: COMMAND,
    })
  const named = findEngine({ flag: '--engine', id: engine, command: COMMAND })
  const count = wholeNumber('--replicas', replicas ?? '1')
  const sharing = oneMachine === true ? sharingOf(named, count, COMMAND) : []
  return { named, replicas: count, router, sharing, feedback: feedback === true }
}

type TimedWithUsage = TimedRequest & { readonly spent: ChatUsage & { readonly timings: NonNullable<ChatUsage['timings']> } }

const hasTimings = (each: TimedRequest): each is TimedWithUsage => each.ok && each.spent?.timings !== undefined

export function compareWithEngine(wanted: EngineComparison, all: readonly TimedRequest[], spell: TimeWindow): ComparisonResult {
  const { named, replicas, router, sharing } = wanted
  const about: ComparisonSetup = { engine: named.id, version: named.version, replicas, router, one_machine: sharing.length > 0 }
  const told = all.filter(hasTimings).toSorted((one, other) => one.dueAt - other.dueAt)
  const counted = told.map((each) => isWithin(each, spell))
  const requests = counted.filter(Boolean).length
  if (requests === 0) return { ...about, answer: 'untold', why: missingTimingsText(all) }
  const served = told.map(servedRequest)
  const only = (some: readonly AccountedRequest[]): readonly AccountedRequest[] => some.filter((_, index) => counted[index])
  const { engine } = named
  const calibrated: CalibratedEngine = { engine, sharing, network_s: networkTime_s(wanted, told, spell) }
  // Cached tokens are not evaluated again.
  const rows = told.map(({ dueAt, spent }) => ({
    at_s: dueAt,
    prompt: Math.max(1, spent.prompt_tokens - spent.cached_tokens),
    output: Math.max(1, spent.completion_tokens),
  }))
  const predicted = only(simulatedRequests(calibrated, rows, { replicas, router }))
  const measured = only(served)
  const cell = { replicas, router, rows, measured: served.map((each, index) => (counted[index] ? each : undefined)) }
  return {
    ...about,
    answer: 'compared',
    requests,
    network_s: calibrated.network_s,
    ledger: servingLedger(measured, predicted),
    figures: comparedFigures(measured, predicted),
    ...(wanted.feedback && { feedback: saveFeedback(named, feedbackRefusal(all, spell) ?? fittedFactors(calibrated, [cell])) }),
  }
}

/** Excludes the scored requests, and the first ones, which hit a cold client. */
function networkTime_s({ named }: EngineComparison, told: readonly TimedWithUsage[], { from_s }: TimeWindow): number {
  const lately = told
    .filter((each) => isWithin(each, { from_s: from_s / 2, to_s: from_s }))
    .map((each) => servedRequest(each).causes.network)
  return lately.length === 0 ? 0 : Math.max(0, quantile(lately, 0.5) - named.engine.costs.request_s)
}

function missingTimingsText(all: readonly TimedRequest[]): string {
  if (!all.some(({ ok }) => ok)) return 'no request was answered'
  if (all.some(hasTimings)) return 'no answer ended after the warm-up; test for longer'
  return 'the answers have no "timings", with which "ironlaw engine" breaks down the time of a request'
}

/** All time outside the engine belongs to the network, the gateway and the client. */
function servedRequest({ dueAt, firstAt, endedAt, spent }: TimedWithUsage): AccountedRequest {
  const { queue_s, prefill_s, decode_s } = spent.timings
  const latency_s = endedAt - dueAt
  const network = latency_s - queue_s - prefill_s - decode_s
  const causes = { 'cold start': 0, retries: 0, network, queue: queue_s, prefill: prefill_s, decode: decode_s }
  return { at_s: dueAt, output: spent.completion_tokens, ttft_s: firstAt - dueAt, latency_s, causes }
}

function comparedFigures(measured: readonly AccountedRequest[], predicted: readonly AccountedRequest[]): readonly ComparedFigure[] {
  const [real, simulated] = [figuresOf(measured), figuresOf(predicted)]
  return SERVED_FIGURES.map((figure) => ({
    figure,
    measured: real[figure],
    predicted: simulated[figure],
    error: simulated[figure] / real[figure] - 1,
  }))
}

/** Why a test must not be used as a correction. */
function feedbackRefusal(all: readonly TimedRequest[], spell: TimeWindow): string | undefined {
  const within = all.filter((each) => isWithin(each, spell))
  const good = within.filter(({ ok }) => ok).length
  if (good < LEAST_ANSWERS) return `${good} answers are too few to learn from, ${LEAST_ANSWERS} are enough; test for longer`
  return good < (1 - MOST_FAILED) * within.length ? `${within.length - good} of ${within.length} requests failed` : undefined
}

function saveFeedback({ id, entry }: NamedEngine, factors: EngineFactors | string): CalibrationFeedback {
  if (typeof factors === 'string') return { taught: false, why: factors }
  const { number, file } = writeEngine(id, correctedEntry(entry, factors), COMMAND)
  return { taught: true, factors, version: number, file }
}
