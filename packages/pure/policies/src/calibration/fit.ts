// A time as a sum of what it is made of: seconds = sum over parts of (cost per unit) x (units). Costs are never negative, errors are relative,
// and rows that no such sum explains count less. Four costs and some dozens of rows: coordinate descent is exact enough and short.

export type TimedRow = { readonly units: readonly number[]; readonly seconds: number }

export type Fit = {
  /** Seconds per unit of each part. */
  readonly costs: readonly number[]
  /** One standard deviation of a row's relative error. */
  readonly error: number
}

const ROUNDS = 8
const SWEEPS = 400
/** Relative errors beyond this lose weight (Huber). */
const TOLERATED = 0.15

export function fitCosts(rows: readonly TimedRow[]): Fit {
  const parts = rows[0]?.units.length ?? 0
  // Relative: each row divided by its own time, so that all of them should come to 1.
  const relative = rows.map(({ units, seconds }) => units.map((count) => count / seconds))
  const scales = Array.from({ length: parts }, (_, part) => Math.max(...relative.map((row) => row[part] ?? 0), Number.MIN_VALUE))
  const scaled = relative.map((row) => row.map((count, part) => count / (scales[part] ?? 1)))
  let weights = rows.map(() => 1)
  let costs: readonly number[] = Array.from({ length: parts }, () => 1 / Math.max(1, parts))
  for (let round = 0; round < ROUNDS; round += 1) {
    costs = descendedCosts(scaled, weights, costs)
    weights = errorsOf(scaled, costs).map((error) => (Math.abs(error) <= TOLERATED ? 1 : TOLERATED / Math.abs(error)))
  }
  const errors = errorsOf(scaled, costs)
  return {
    costs: costs.map((cost, part) => cost / (scales[part] ?? 1)),
    error: Math.sqrt(errors.reduce((sum, error) => sum + error ** 2, 0) / Math.max(1, rows.length - parts)),
  }
}

const errorsOf = (rows: readonly (readonly number[])[], costs: readonly number[]): readonly number[] =>
  rows.map((row) => row.reduce((sum, count, part) => sum + count * (costs[part] ?? 0), -1))

/** Each cost in turn set to its best value with the others held, not below nothing. */
function descendedCosts(rows: readonly (readonly number[])[], weights: readonly number[], from: readonly number[]): readonly number[] {
  const costs = [...from]
  const errors = [...errorsOf(rows, costs)]
  for (let sweep = 0; sweep < SWEEPS; sweep += 1)
    for (let part = 0; part < costs.length; part += 1) {
      let slope = 0
      let curve = 0
      rows.forEach((row, at) => {
        const count = row[part] ?? 0
        slope += (weights[at] ?? 0) * count * (errors[at] ?? 0)
        curve += (weights[at] ?? 0) * count * count
      })
      if (curve === 0) continue
      const before = costs[part] ?? 0
      const after = Math.max(0, before - slope / curve)
      rows.forEach((row, at) => (errors[at] = (errors[at] ?? 0) + (after - before) * (row[part] ?? 0)))
      costs[part] = after
    }
  return costs
}
