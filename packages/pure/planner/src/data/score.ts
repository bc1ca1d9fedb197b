// A finished pipeline beside its plan: each figure predicted, measured, and whether it fell into its 90 % interval. Plans predict a pipeline that loses no process, so what
// recovery took is not compared with them.

import type { DataInterval, DataPlan, DataRunFigures } from '@ironlaw/contracts/data-plan'

export type ScoredFigure = {
  /** Such as "tokens after deduplicate" or "time of read". */
  readonly figure: string
  readonly unit: 'documents' | 'B' | 'tokens' | 's' | 'USD'
  readonly predicted: number
  readonly low: number
  readonly high: number
  readonly measured: number
  readonly inside: boolean
}

/** Counts are whole numbers, so an interval of no width is met by what rounds to it. */
const ROUNDING = { documents: 0.5, B: 0.5, tokens: 0.5, s: 0, USD: 0 } as const

/** Figures that only one of the two has are left out: nothing was predicted, or nothing measured. */
export function scoredRun({ prediction }: DataPlan, figures: DataRunFigures): readonly ScoredFigure[] {
  const rows: ScoredFigure[] = []
  const add = (figure: string, unit: ScoredFigure['unit'], pair: Pair): void => {
    const { predicted, measured } = pair
    if (predicted === undefined || measured === undefined) return
    const { value, low, high } = predicted
    const inside = measured >= low - ROUNDING[unit] && measured <= high + ROUNDING[unit]
    rows.push({ figure, unit, predicted: value, low, high, measured, inside })
  }
  const measuredLeft = new Map(figures.left.map((each) => [each.step, each]))
  for (const { step, documents, bytes, tokens } of prediction.left) {
    const measured = measuredLeft.get(step)
    add(`documents after ${step}`, 'documents', { predicted: documents, measured: measured?.documents })
    add(`bytes after ${step}`, 'B', { predicted: bytes, measured: measured?.bytes })
    add(`tokens after ${step}`, 'tokens', { predicted: tokens, measured: measured?.tokens })
  }
  const { recovery = 0 } = figures.causes_s
  const duration = recovery > 0 ? 'duration without recovery' : 'duration'
  add(duration, 's', { predicted: prediction.duration_s, measured: figures.duration_s - recovery })
  for (const [cause, predicted] of Object.entries(prediction.causes_s))
    add(`time of ${cause}`, 's', { predicted, measured: figures.causes_s[cause] })
  add('memory of a worker', 'B', { predicted: prediction.worker_bytes, measured: figures.worker_bytes })
  add('memory of clustering', 'B', { predicted: prediction.cluster_bytes, measured: figures.cluster_bytes })
  add('disk', 'B', { predicted: prediction.disk_bytes, measured: figures.disk_bytes })
  add('cost', 'USD', { predicted: prediction.cost_usd, measured: figures.cost_usd })
  return rows
}

type Pair = { readonly predicted: DataInterval | undefined; readonly measured: number | undefined }
