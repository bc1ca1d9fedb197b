import type { JsonObject } from '@ironlaw/catalog'
import { showPercent, showPoints } from '@ironlaw/units'
import { paint } from '../paint.ts'
import { table } from '../table.ts'
import { groupAt, numberAt, wordAt } from './read-entry.ts'

/** Measured quality by the ids of its entries. */
export function qualityTable(entries: { readonly [id: string]: JsonObject }): string {
  const rows = Object.entries(entries).map(([id, entry]) => {
    const value = (name: string): number => numberAt(entry[name], '1') ?? Number.NaN
    const drop = (name: string): string => showPoints(numberAt(groupAt(entry, 'drop')?.[name], '1') ?? Number.NaN)
    return [
      paint('bold', id),
      `${wordAt(entry, 'precision')} against ${wordAt(entry, 'reference')}`,
      wordAt(entry, 'cache'),
      value('items').toLocaleString('en'),
      showPercent(value('differing')),
      showPercent(value('referenceScore')),
      showPercent(value('score')),
      drop('value'),
      `${drop('low')} to ${drop('high')}`,
    ]
  })
  const head = ['quality', 'precision', 'cache', 'items', 'differ', 'reference', 'scores', 'drop in points', 'interval']
  return table(head, rows, [3, 4, 5, 6, 7, 8])
}
