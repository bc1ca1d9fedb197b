// Totals over the windows of traffic: volume, latency, attainment of objectives, and price.

import type { DeploymentFigures, TrafficFigures } from '@ironlaw/contracts/deployment-figures'
import type { ServingPlan } from '@ironlaw/contracts'

export type Objectives = ServingPlan['objectives']

/** The period that counts as "now". */
const LATELY_S = 300

export type Summary = {
  readonly requests_per_s: number
  readonly tokens_per_s: number
  /** Share of all attempts in the half hour, including those that engines rejected as invalid; undefined if there were none. */
  readonly answered?: number
  readonly ttft_s?: number
  readonly tpot_s?: number
  /** Of the newest complete window. */
  readonly ttft_p99_s?: number
  readonly tpot_p99_s?: number
  /** Share of windows with traffic whose typical answer met both objectives. */
  readonly kept?: number
}

export type SummaryOptions = { readonly now: number; readonly objectives: Objectives | undefined }

export function summaryOf({ windows }: Pick<DeploymentFigures, 'windows'>, { now, objectives }: SummaryOptions): Summary {
  const moments = momentsOf(windows)
  const since = Math.max(now - LATELY_S, moments[0]?.from_at ?? 0)
  const late = moments.filter(({ from_at }) => from_at >= since)
  const seconds = Math.max(1, now - (late[0]?.from_at ?? since))
  const full = late.at(-2) ?? late.at(-1)
  const sum = (rows: readonly TrafficFigures[], of: 'answers' | 'tokens'): number => rows.reduce((total, row) => total + row[of], 0)
  const answers = sum(moments, 'answers')
  const attempts = answers + moments.reduce((total, moment) => total + unansweredCount(moment), 0)
  const [ttft_s, tpot_s] = [geometricMean(late, 'ttft_s'), geometricMean(late, 'tpot_s')]
  return {
    requests_per_s: sum(late, 'answers') / seconds,
    tokens_per_s: sum(late, 'tokens') / seconds,
    ...(attempts > 0 && { answered: answers / attempts }),
    ...(ttft_s !== undefined && { ttft_s }),
    ...(tpot_s !== undefined && { tpot_s }),
    ...(full?.ttft_percentiles_s && { ttft_p99_s: full.ttft_percentiles_s.p99 }),
    ...(full?.tpot_percentiles_s && { tpot_p99_s: full.tpot_percentiles_s.p99 }),
    ...(objectives &&
      moments.length > 0 && { kept: moments.filter((moment) => meetsObjectives(moment, objectives)).length / moments.length }),
  }
}

/** Requests without an answer, whether the server or the client was at fault. */
export const unansweredCount = ({ errors, refused = 0 }: TrafficFigures): number => errors + refused

const meetsObjectives = (window: TrafficFigures, { ttft_s, tpot_s, percentile }: Objectives): boolean =>
  (judgedLatency(window, 'ttft', percentile) ?? 0) <= ttft_s && (judgedLatency(window, 'tpot', percentile) ?? 0) <= tpot_s

/** All revisions of a window combined, oldest first. */
export function momentsOf(windows: readonly TrafficFigures[]): readonly TrafficFigures[] {
  return [...Map.groupBy(windows, ({ from_at }) => from_at).values()]
    .map((rows) => {
      const [first] = rows
      const [ttft_s, tpot_s] = [geometricMean(rows, 'ttft_s'), geometricMean(rows, 'tpot_s')]
      return {
        from_at: first?.from_at ?? 0,
        revision: 0,
        answers: rows.reduce((sum, { answers }) => sum + answers, 0),
        errors: rows.reduce((sum, { errors }) => sum + errors, 0),
        refused: rows.reduce((sum, { refused = 0 }) => sum + refused, 0),
        tokens: rows.reduce((sum, { tokens }) => sum + tokens, 0),
        ...(ttft_s !== undefined && { ttft_s }),
        ...(tpot_s !== undefined && { tpot_s }),
        ...percentilesOf(rows),
      }
    })
    .toSorted((one, other) => one.from_at - other.from_at)
}

/** Of the revision with the most answers: percentiles of several cannot be added. */
function percentilesOf(rows: readonly TrafficFigures[]): Pick<TrafficFigures, 'ttft_percentiles_s' | 'tpot_percentiles_s'> {
  const [most] = rows.toSorted((one, other) => other.answers - one.answers)
  const { ttft_percentiles_s, tpot_percentiles_s } = most ?? {}
  return { ...(ttft_percentiles_s && { ttft_percentiles_s }), ...(tpot_percentiles_s && { tpot_percentiles_s }) }
}

/** The figure that the objective limits: the percentile named by the plan, if gateways report it, else the typical answer. */
export function judgedLatency(window: TrafficFigures, of: 'ttft' | 'tpot', percentile: Objectives['percentile']): number | undefined {
  const [told, typical_s] = of === 'ttft' ? [window.ttft_percentiles_s, window.ttft_s] : [window.tpot_percentiles_s, window.tpot_s]
  return percentile === 'mean' ? typical_s : (told?.[percentile] ?? typical_s)
}

/** Geometric mean over the answers of all rows. */
function geometricMean(rows: readonly TrafficFigures[], of: 'ttft_s' | 'tpot_s'): number | undefined {
  let [logs, answers] = [0, 0]
  for (const row of rows) {
    const value = row[of]
    if (value === undefined || value <= 0) continue
    logs += row.answers * Math.log(value)
    answers += row.answers
  }
  return answers > 0 ? Math.exp(logs / answers) : undefined
}

export type Price = {
  readonly usd_per_hour: number
  /** Over prompt and answer tokens, at the current traffic; undefined without traffic. */
  readonly usd_per_million_tokens?: number
}

/** Cost of the live replicas, at the plan's price. */
export function priceOf(plan: ServingPlan | undefined, replicas: number, { tokens_per_s }: Summary): Price | undefined {
  const hourly = plan?.prediction.usd_per_hour
  const planned = plan?.pools.reduce((sum, pool) => sum + pool.replicas, 0) ?? 0
  if (hourly === undefined || planned === 0) return undefined
  const usd_per_hour = (hourly / planned) * replicas
  return { usd_per_hour, ...(tokens_per_s > 0 && { usd_per_million_tokens: (usd_per_hour / (3600 * tokens_per_s)) * 1e6 }) }
}
