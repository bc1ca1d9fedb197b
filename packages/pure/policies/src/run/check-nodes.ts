// The check before the start: an attempt whose ranks measure their nodes instead of running the program. A node is judged by the median of
// the fleet, its own run included, because what a kind of accelerator reaches depends on clocks, drivers and limits that are not
// documented.

import type { Attempt } from '@ironlaw/contracts'
import type { Rates } from '@ironlaw/contracts/report'
import { median } from '@ironlaw/laws/quantile'
import { type Diagnosis, diagnosis } from './diagnosis.ts'
import type { RunLimits } from './limits.ts'
import type { NodeReading, Observation } from './observation.ts'
import { countText } from './sentence.ts'

/** Most checks of one run: each replaces the nodes that the previous one found slow; then the run starts with what it has. */
const MOST_CHECKS = 3

/** Not after training has begun: a check would delay recovery, and the spares were checked with the rest. */
export function needsCheck({ shape, attempts }: Pick<Observation, 'shape' | 'attempts'>): boolean {
  if (!shape.check || attempts.some(({ check }) => !check)) return false
  return attempts.at(-1)?.outcome?.cause !== 'checked' && attempts.length < MOST_CHECKS
}

/** How a check ends; undefined while it runs. */
export function checkResult(
  seen: Observation,
  attempt: Attempt,
  { limits, lost }: { readonly limits: RunLimits; readonly lost: Diagnosis | undefined },
): Diagnosis | undefined {
  const { readings = [], fleetReadings = [], shape, now } = seen
  const missing = (attempt.placed ?? []).filter((node) => !readings.some((reading) => reading.node === node))
  if (missing.length === 0)
    return checkVerdict(slowNodes(readings, { fleet: fleetReadings, share: shape.check?.share ?? 0 }), readings.length)
  const found = diagnosis(seen, attempt, limits) ?? lost
  if (found && (found.suspects.length > 0 || found.cause !== 'rank-died')) return found
  if (found) return uncheckedDiagnosis(found.detail)
  const { startedAt = now } = attempt
  if (now - startedAt <= limits.check_s) return undefined
  const detail = `nothing from ${missing.join(', ')} within ${limits.check_s} s`
  return isMajority(missing.length, attempt.nodes)
    ? uncheckedDiagnosis(detail)
    : { cause: 'slow-node', detail, sources: ['silence'], suspects: missing }
}

const uncheckedDiagnosis = (why: string): Diagnosis => ({
  cause: 'checked',
  detail: `not checked: ${why}`,
  sources: ['readings'],
  suspects: [],
})

type Measure = keyof Rates

const MEASURES: Readonly<Record<Measure, string>> = {
  product_flops: 'matrix product',
  memory_bytes_per_s: 'memory',
  link_bytes_per_s: 'links',
}

export type SlowNode = { readonly node: string; readonly measure: Measure; readonly share: number }

/** Each with the measure in which it lags most. */
export function slowNodes(
  readings: readonly NodeReading[],
  { fleet, share }: { readonly fleet: readonly NodeReading[]; readonly share: number },
): readonly SlowNode[] {
  const all = [...readings, ...fleet.filter(({ node }) => !readings.some((reading) => reading.node === node))]
  const medians = (Object.keys(MEASURES) as Measure[]).flatMap((measure) => {
    const values = all.flatMap((reading) => reading[measure] ?? [])
    return values.length < 2 ? [] : [[measure, median(values)] as const]
  })
  return readings.flatMap(({ node, ...reading }) => {
    const [worst] = medians
      .flatMap(([measure, middle]) => {
        const value = reading[measure]
        return value === undefined ? [] : [{ node, measure, share: value / middle }]
      })
      .toSorted((a, b) => a.share - b.share)
    return worst && worst.share < share ? [worst] : []
  })
}

/** More than half: then it is not single nodes that are slow, and replacing them all would only move the work. */
const isMajority = (slow: number, nodes: number): boolean => slow > nodes / 2

function checkVerdict(slow: readonly SlowNode[], nodes: number): Diagnosis {
  const words = slow.map(({ node, measure, share }) => `${node} reaches ${Math.round(100 * share)} % of the median in ${MEASURES[measure]}`)
  const said = words.slice(0, 3).join(', ') + (words.length > 3 ? ` and ${words.length - 3} more` : '')
  const sources = ['readings'] as const
  if (slow.length === 0) return { cause: 'checked', detail: `${countText(nodes, 'node')} as fast as the fleet`, sources, suspects: [] }
  if (isMajority(slow.length, nodes))
    return { cause: 'checked', detail: `too many slow nodes to replace, ${slow.length} of ${nodes}: ${said}`, sources, suspects: [] }
  return { cause: 'slow-node', detail: said, sources, suspects: slow.map(({ node }) => node) }
}
