import {
  type Catalog,
  checkCatalog,
  comparisonRows,
  entriesOf,
  entry as entryNamed,
  type Entry,
  figures,
  KIND_NAMES,
  type Kind,
  lookup,
  type Origin,
  usualPeak,
} from '@ironlaw/catalog'
import { IronlawError, nearestNames } from '@ironlaw/contracts'
import { type Known, show } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { catalogFor } from './catalog-source.ts'
import { paint } from '../paint.ts'
import { table } from '../table.ts'

type Flags = { readonly against?: string; readonly with?: string }

export function catalogAnswer(id: string | undefined, flags: Flags): CommandAnswer {
  const catalog = catalogFor(flags.with)
  if (id === undefined) return kinds(catalog)
  const kind = KIND_NAMES.find((name) => name === id)
  if (kind) return listing(catalog, kind)
  const entry = findEntry(catalog, id)
  return flags.against === undefined ? card(entry) : comparison(entry, entryNamed(catalog, entry.kind, flags.against))
}

export function catalogCheckAnswer(file: string | undefined): CommandAnswer {
  const { problems, ...counts } = checkCatalog(catalogFor(file))
  return {
    json: { ...counts, ...(problems.length > 0 && { problems }) },
    text: () =>
      [
        `${counts.accelerators} accelerators, ${counts.entries} entries, ${counts.figures} figures, ${counts.withoutSource} without source`,
        ...problems.map((problem) => paint('yellow', problem)),
      ].join('\n'),
    ...(problems.length > 0 && { exit: 3 }),
  }
}

function findEntry(catalog: Catalog, id: string): Entry {
  for (const kind of KIND_NAMES) {
    const result = lookup(catalog, kind, id)
    if (result.ok) return result.entry
  }
  const close = nearestNames(
    id,
    entriesOf(catalog).map((entry) => ({ name: entry.id, aliases: entry.aliases })),
  )
  throw new IronlawError('IL_UNKNOWN_ENTRY', {
    kind: 'entry',
    id,
    suggestion: close.length > 0 ? `did you mean ${close.join(', ')}?` : 'run "ironlaw catalog" for the kinds',
  })
}

function kinds(catalog: Catalog): CommandAnswer {
  const counts = KIND_NAMES.map((kind) => [kind, catalog[kind].size] as const)
  return {
    json: { kinds: Object.fromEntries(counts) },
    text: () =>
      `${table(
        ['kind', 'entries'],
        counts.map(([kind, n]) => [kind, String(n)]),
        [1],
      )}\n\n"ironlaw catalog <kind>" lists one kind, "ironlaw catalog <id>" shows an entry.`,
  }
}

function listing(catalog: Catalog, kind: Kind): CommandAnswer {
  const entries = [...catalog[kind].values()]
  return {
    json: { kind, entries: entries.map(({ id, name, aliases, origin }) => ({ id, name, aliases, origin })) },
    text: () =>
      kind === 'accelerators'
        ? acceleratorTable(catalog)
        : table(
            ['id', 'name', ''],
            entries.map((entry) => [paint('bold', entry.id), entry.name, originText(entry.origin)]),
          ),
  }
}

function acceleratorTable(catalog: Catalog): string {
  const rows = [...catalog.accelerators.values()].map((entry) => {
    const { memory, tdp } = entry.facts
    const best = usualPeak(entry)
    return [
      paint('bold', entry.id),
      best ? showFigure(best.peak) : '',
      best?.precision ?? '',
      showFigure(memory.capacity),
      showFigure(memory.bandwidth),
      showFigure(tdp),
      originText(entry.origin),
    ]
  })
  return table(['id', 'dense peak', 'in', 'memory', 'bandwidth', 'power', ''], rows, [1, 3, 4, 5])
}

const showFigure = (known: Known): string => show(known.value, known.unit)
const originText = (origin: Origin): string => (origin.by === 'built-in' ? '' : paint('yellow', `from ${origin.file}`))
const sourceText = ({ by }: Known): string => (by.kind === 'source' ? `${by.ref}, ${by.asOf}` : by.kind)

function card(entry: Entry): CommandAnswer {
  const rows = figures(entry)
  return {
    json: {
      kind: entry.kind,
      id: entry.id,
      name: entry.name,
      aliases: entry.aliases,
      figures: rows.map(({ path, known, origin, note }) => ({
        path,
        value: known.value,
        unit: known.unit,
        text: showFigure(known),
        source: sourceText(known),
        origin,
        ...(note !== undefined && { note }),
      })),
    },
    text: () =>
      [
        `${paint('bold', entry.id)}  ${entry.name}`,
        '',
        table(
          ['figure', '', 'source', ''],
          rows.map(({ path, known, origin }) => [
            path,
            paint('cyan', showFigure(known)),
            paint('dim', sourceText(known)),
            originText(origin),
          ]),
          [1],
        ),
        ...rows.flatMap(({ path, note }) => (note === undefined ? [] : [paint('dim', `${path}: ${note}`)])),
      ].join('\n'),
  }
}

function comparison(left: Entry, right: Entry): CommandAnswer {
  const rows = comparisonRows(left, right)
  const figureCell = (known: Known | undefined): string => (known ? showFigure(known) : '')
  return {
    json: {
      kind: left.kind,
      left: left.id,
      right: right.id,
      figures: rows.map(({ path, left: a, right: b, ratio }) => ({ path, unit: (a ?? b)?.unit, left: a?.value, right: b?.value, ratio })),
    },
    text: () =>
      table(
        ['figure', left.id, right.id, 'ratio'],
        rows.map(({ path, left: a, right: b, ratio }) => [
          path,
          figureCell(a),
          figureCell(b),
          ratio === undefined ? '' : `${ratio.toPrecision(3)}x`,
        ]),
        [1, 2, 3],
      ),
  }
}
