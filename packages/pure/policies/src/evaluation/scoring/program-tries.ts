// All tries of all programs, as one score for each item.

import type { ItemResult } from '@ironlaw/contracts/evaluation-items'
import type { ClusteredScore } from './metric-intervals.ts'
import { passAtK } from './program-text.ts'

const KS = [1, 2, 5, 10, 20, 50, 100] as const

/** Values are pass@k up to the number of tries, and the share that ran out of time. */
export function programTries(repeats: readonly (readonly ItemResult[])[]): readonly ClusteredScore[] {
  const [first = []] = repeats
  const tries = Map.groupBy(repeats.flat(), ({ id }) => id)
  return first.map(({ id, cluster }) => {
    const own = tries.get(id) ?? []
    const passed = own.filter(({ score }) => score === 1).length
    const passes = KS.filter((k) => k <= own.length).map((k) => [`pass@${k}`, passAtK({ tries: own.length, passed, k })] as const)
    const timedOut = own.reduce((sum, { values }) => sum + (values['timed_out'] ?? 0), 0) / Math.max(1, own.length)
    const values = { ...Object.fromEntries(passes), timed_out: timedOut }
    return { score: passed / Math.max(1, own.length), values, ...(cluster !== undefined && { cluster }) }
  })
}
