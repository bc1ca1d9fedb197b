// Max-min fair shares: no demand gets more than it wants, and no share can grow without shrinking a smaller one (by weight).

export type Demand = { readonly wants: number; readonly weight: number }

/** By water-filling: the demand that is met at the lowest level first. */
export function maxMinShares(demands: readonly Demand[], capacity: number): number[] {
  const shares = demands.map(() => 0)
  const order = demands.map((_, index) => index).toSorted((a, b) => levelOf(demands[a]) - levelOf(demands[b]))
  let left = capacity
  let weights = demands.reduce((sum, { weight }) => sum + weight, 0)
  for (const index of order) {
    const { wants, weight } = demands[index] ?? { wants: 0, weight: 0 }
    const share = Math.min(wants, weights > 0 ? (left * weight) / weights : 0)
    shares[index] = share
    left -= share
    weights -= weight
  }
  return shares
}

const levelOf = (demand: Demand | undefined): number => (demand && demand.weight > 0 ? demand.wants / demand.weight : 0)
