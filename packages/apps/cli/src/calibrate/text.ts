// The calibration as text.

import type { JsonObject } from '@ironlaw/catalog'
import { type Coverage, coverageOf } from '@ironlaw/policies/calibration'
import { type BaseUnit, parse, quantity, show, showPercent } from '@ironlaw/units'
import { paint } from '../paint.ts'
import { table } from '../table.ts'
import { dataCalibration, dataCalibrationText } from './data-rates.ts'
import type { Version } from './measured-file.ts'
import type { MeasuredLine } from './measured-rows.ts'
import { qualityTable } from './quality-text.ts'
import { correctionsOf, groupAt, wordAt } from './read-entry.ts'

export function lineText(line: MeasuredLine): string {
  if (line.measured === 'machine' || line.measured === 'end') return line.measured
  const ranks = `${line.ranks} ${line.ranks === 1 ? 'rank' : 'ranks'}`
  return `${line.measured === 'collective' ? `${line.name} of ${line.bytes} bytes` : line.measured}, ${ranks}`
}

export function versionText({ number, file, document }: Version): string {
  const accelerators = Object.entries(document.catalog['accelerators'] ?? {}).flatMap(([id, entry]) =>
    acceleratorText(id, groupAt(entry, 'measured')),
  )
  const coverage = coverageOf(document.finished)
  const data = dataCalibration(document)
  const { quality } = document.catalog
  return [
    `${paint('bold', `version ${number}`)}, ${document.made.at.slice(0, 16).replace('T', ' ')}, by ${document.made.by}`,
    paint('dim', file),
    ...accelerators.flatMap((text) => ['', text]),
    ...Object.entries(document.catalog['storage'] ?? {}).map(([id, entry]) => `\n${storageText(id, entry)}`),
    ...(quality ? ['', qualityTable(quality)] : []),
    ...Object.keys(document.engines ?? {}).map((id) => `\n${paint('bold', id)}: a serving engine`),
    ...(data ? ['', dataCalibrationText(data)] : []),
    ...((data || quality) && !coverage ? [] : ['', coverageText(coverage)]),
  ].join('\n')
}

const coverageText = (coverage: Coverage | undefined): string =>
  coverage
    ? `${coverage.runs} finished ${coverage.runs === 1 ? 'run' : 'runs'} compared: median error ${showPercent(coverage.error)}, ${showPercent(coverage.inside)} inside their 90 % interval`
    : 'no finished run compared yet; "ironlaw calibrate --from RUN" compares one'

function acceleratorText(id: string, measured: JsonObject | undefined): readonly string[] {
  const sharing = groupAt(measured, 'sharing') ?? {}
  const rows = Object.keys(sharing).map((ranks) => {
    const node = groupAt(sharing, ranks)
    const reduce = groupAt(groupAt(node, 'collectives'), 'all-reduce')
    return [
      ranks,
      figureTextAt(groupAt(node, 'products')?.['rate'], 'FLOP/s'),
      figureTextAt(node?.['copy'], 'B/s'),
      figureTextAt(node?.['vector'], 'B/s'),
      figureTextAt(reduce?.['alpha'], 's'),
      figureTextAt(reduce?.['bus'], 'B/s'),
    ]
  })
  const corrections = Object.entries(correctionsOf(measured)).flatMap(([ranks, classes]) =>
    Object.entries(classes).map(([work, { factor, spread, runs }]) => [ranks, work, factor.toFixed(3), showPercent(spread), String(runs)]),
  )
  const head = `${paint('bold', id)} on ${wordAt(measured, 'on')}, ${wordAt(measured, 'software')}`
  return [
    [
      head,
      ...(rows.length > 0
        ? [table(['ranks a node', 'products', 'copy', 'elementwise', 'all-reduce start', 'bus'], rows, [0, 1, 2, 3, 4, 5])]
        : []),
      ...(corrections.length > 0 ? [table(['ranks a node', 'corrected', 'by', 'spread', 'runs'], corrections, [0, 2, 3, 4])] : []),
    ].join('\n'),
  ]
}

const storageText = (id: string, entry: JsonObject): string => {
  const rates = groupAt(entry, 'perClient')
  return `${paint('bold', id)}: writes ${figureTextAt(rates?.['write'], 'B/s')}, reads ${figureTextAt(rates?.['read'], 'B/s')}`
}

/** With its spread, as the document has it. */
export function figureTextAt(figure: unknown, unit: BaseUnit): string {
  if (typeof figure !== 'object' || figure === null || !('is' in figure)) return ''
  const parsed = parse(String(figure.is), unit)
  if (!parsed.ok) return String(figure.is)
  const spread = 'spread' in figure ? ` ±${showPercent(Number(figure.spread), 0)}` : ''
  return `${show(quantity(parsed.value, unit), unit)}${spread}`
}
