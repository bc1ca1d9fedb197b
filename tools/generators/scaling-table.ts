// The tables of autoscalers in the guide to deployments: drawn hours, and recorded ones where a folder with the traces is given.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { showPercent } from '@ironlaw/units'
import { type ComparedAutoscaler, comparedAutoscalers } from '../compare-scaling/compare.ts'
import { drawnHours, type Hour, recordedHour, SPEED } from '../compare-scaling/hours.ts'
import { type GeneratedFile, markdownTable } from './generated.ts'
import { filledPage } from './serving-tables.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const GUIDE = 'docs/guides/deploying-a-model.md'
const SEEDS = [1, 2, 3, 4]
const RECORDED = ['azure-2023-code.csv.gz', 'azure-2023-conv.csv.gz', 'mooncake-conversation.jsonl.gz']
const RECORDED_REQUESTS_PER_S = 20

export function scalingTables(folder?: string): GeneratedFile[] {
  const drawn = Map.groupBy(
    SEEDS.flatMap((seed) => drawnHours(seed).filter(({ name }) => seed === SEEDS[0] || name !== 'a day')),
    ({ name }) => name,
  )
  const tables = new Map([['scaling', tableOf(drawn)]])
  if (folder !== undefined) {
    const recorded = RECORDED.map((file) => recordedHour(join(folder, 'traces', file), RECORDED_REQUESTS_PER_S))
    tables.set('scaling-recorded', tableOf(Map.groupBy(recorded, ({ name }) => name)))
  }
  return [{ path: GUIDE, content: filledPage(readFileSync(join(ROOT, GUIDE), 'utf8'), tables) }]
}

const tableOf = (hours: ReadonlyMap<string, readonly Hour[]>): string =>
  markdownTable(
    ['hour', 'autoscaler', 'answered in time', 'replica hours', 'of a fixed number that answers as many in time'],
    [...hours].flatMap(([name, drawn]) => {
      const each = drawn.map((hour) => comparedAutoscalers(hour))
      return (each[0] ?? []).map(({ autoscaler }, place) =>
        line(
          [name, autoscaler],
          each.map((all) => all[place]).filter((one) => one !== undefined),
        ),
      )
    }),
  )

function line(head: readonly string[], outcomes: readonly ComparedAutoscaler[]): string[] {
  const mean = (of: (one: ComparedAutoscaler) => number): number => outcomes.reduce((sum, one) => sum + of(one), 0) / outcomes.length
  return [
    ...head,
    showPercent(mean(({ attained }) => attained)),
    ((mean(({ replica_s }) => replica_s) * SPEED) / 3600).toFixed(2),
    mean(({ ofFixed }) => ofFixed).toFixed(2),
  ]
}
