// Does the catalog hold together? Every figure readable and sourced, every reference resolved, every number
// inside what physics and the market allow. `ironlaw catalog --check` and the tests ask the same question.

import { foldedName } from '@ironlaw/contracts'
import { ridgePoint } from '@ironlaw/laws/roofline/roofline'
import { parse } from '@ironlaw/units'
import { type Accelerator, precisions, usableMemory, usualPeak } from './accelerator.ts'
import { type Band, BANDS, CARBON, MOST_SPARSE, PFLOP_HOUR, PUE, USABLE, isWithin } from './bands.ts'
import { type Catalog, entriesOf } from './catalog.ts'
import { type Entry, figuresUnder, sourceOf } from './entry.ts'
import { type Kind, KIND_NAMES, KINDS } from './kinds.ts'
import { danglingReferences, lookup } from './lookup.ts'

export type CatalogCheck = {
  readonly accelerators: number
  readonly entries: number
  readonly figures: number
  readonly withoutSource: number
  readonly problems: readonly string[]
}

export function checkCatalog(catalog: Catalog): CatalogCheck {
  const entries = entriesOf(catalog)
  const written = entries.flatMap((entry) =>
    figuresUnder(KINDS[entry.kind], entry.written, '').map(({ path, figure, unit }) => ({ entry, path, figure, unit })),
  )
  const unsourced = written.filter(({ entry, figure }) => !isSourced(entry, figure.from))
  const unread = written.flatMap(({ entry, path, figure, unit }) => {
    const parsed = parse(figure.is, unit)
    return parsed.ok ? [] : [`${entryPath(entry)} ${path}: ${parsed.reason}`]
  })
  return {
    accelerators: catalog.accelerators.size,
    entries: entries.length,
    figures: written.length,
    withoutSource: unsourced.length,
    problems: [
      ...unread,
      ...unsourced.map(({ entry, path, figure }) => `${entryPath(entry)} ${path}: the source "${figure.from}" has no date`),
      ...entries.flatMap((entry) =>
        danglingReferences(catalog, entry).map(({ path, problem }) => `${entryPath(entry)} ${path}: ${problem}`),
      ),
      ...KIND_NAMES.flatMap((kind) => sharedNames(catalog, kind)),
      // Plausibility needs readable numbers; what is unreadable was reported above.
      ...(unread.length === 0 ? plausibilityProblems(catalog) : []),
    ],
  }
}

function plausibilityProblems(catalog: Catalog): readonly string[] {
  const accelerators = [...catalog.accelerators.values()]
  return [
    ...accelerators.flatMap(sparseProblems),
    ...accelerators.flatMap(bandProblems),
    ...accelerators.flatMap((accelerator) => linkProblems(catalog, accelerator)),
    ...[...catalog.fabrics.values()].flatMap(fabricProblems),
    ...[...catalog.failures.values()].flatMap(failureProblems),
    ...[...catalog.prices.values()].flatMap((price) => priceProblems(catalog, price)),
    ...[...catalog.grids.values()].flatMap(gridProblems),
    ...[...catalog.quality.values()].flatMap(qualityProblems),
  ]
}

const entryPath = (entry: Entry): string => `${entry.kind}/${entry.id}`

function isSourced(entry: Entry, from: string): boolean {
  const source = sourceOf(entry, from)
  return source.ref !== '' && /^\d{4}-\d{2}(?:-\d{2})?$/.test(source.asOf)
}

/** A name that two entries answer to would pick one of them by the order of files. */
function sharedNames(catalog: Catalog, kind: Kind): readonly string[] {
  const owners = new Map<string, string>()
  return [...catalog[kind].values()].flatMap(({ id, aliases }) =>
    [id, ...aliases].flatMap((name) => {
      const other = owners.get(foldedName(name))
      owners.set(foldedName(name), id)
      return other === undefined || other === id ? [] : [`${kind}/${id}: the name "${name}" also belongs to ${other}`]
    }),
  )
}

function sparseProblems(accelerator: Accelerator): readonly string[] {
  const most = MOST_SPARSE[accelerator.facts.sparsity ?? '2:4']
  return precisions(accelerator).flatMap((precision) => {
    const { dense, sparse } = accelerator.facts.peaks[precision] ?? {}
    if (!dense || !sparse) return []
    return isWithin(sparse.value / dense.value, [1, most])
      ? []
      : [
          `${entryPath(accelerator)} peaks.${precision}: sparse is ${(sparse.value / dense.value).toFixed(2)} x dense, expected 1 to ${most}`,
        ]
  })
}

function bandProblems(accelerator: Accelerator): readonly string[] {
  const { kind, memory, tdp } = accelerator.facts
  const usual = usualPeak(accelerator)
  if (!usual) return [`${entryPath(accelerator)} peaks: neither bf16, fp16, int8 nor fp32 is given`]
  const peak = usual.peak.value
  const bands = BANDS[kind]
  const ridge = ridgePoint.of({ peakFlops: peak, memoryBandwidth: memory.bandwidth.value })
  return [
    rangeProblems(`${entryPath(accelerator)}: ${usual.precision} peak over memory bandwidth (FLOP/B)`, ridge, bands.ridge),
    rangeProblems(`${entryPath(accelerator)}: ${usual.precision} peak over power (FLOP/s/W)`, peak / tdp.value, bands.efficiency),
    rangeProblems(
      `${entryPath(accelerator)}: memory capacity over bandwidth (s)`,
      memory.capacity.value / memory.bandwidth.value,
      bands.sweep,
    ),
    rangeProblems(
      `${entryPath(accelerator)}: usable memory over capacity`,
      usableMemory(accelerator).value / memory.capacity.value,
      USABLE,
    ),
  ].flat()
}

function linkProblems(catalog: Catalog, accelerator: Accelerator): readonly string[] {
  const link = accelerator.facts.link
  const found = link && lookup(catalog, 'links', link.id)
  if (!link || !found?.ok) return []
  return link.bandwidth.value <= found.entry.facts.perDirection.value
    ? []
    : [`${entryPath(accelerator)} link.bandwidth: more than ${link.id} carries per direction`]
}

function fabricProblems(fabric: Entry<'fabrics'>): readonly string[] {
  const { bisection, devices, perDevice } = fabric.facts
  const most = (devices.value / 2) * perDevice.value
  return bisection === undefined || bisection.value <= most * ROUNDING
    ? []
    : [`${entryPath(fabric)} bisection: more than half of the devices can inject`]
}

const ROUNDING = 1.01

function failureProblems(failure: Entry<'failures'>): readonly string[] {
  const { rate, events, devices, window } = failure.facts
  if (!rate || !events || !devices || !window) return []
  const counted = events.value / (devices.value * window.value)
  return isWithin(rate.value / counted, [1 / ROUNDING, ROUNDING])
    ? []
    : [`${entryPath(failure)} rate: differs from events over devices and window`]
}

function priceProblems(catalog: Catalog, price: Entry<'prices'>): readonly string[] {
  const { accelerator: id, onDemand, reserved1Year, reserved3Years, spot } = price.facts
  const found = id === undefined ? undefined : lookup(catalog, 'accelerators', id)
  const usual = found?.ok ? usualPeak(found.entry) : undefined
  if (!usual) return []
  const rates = Object.entries({ onDemand, reserved1Year, reserved3Years, spot })
  return rates.flatMap(([name, rate]) =>
    rate === undefined
      ? []
      : rangeProblems(`${entryPath(price)} ${name}: USD per PFLOP-hour`, (rate.value * 3600) / (usual.peak.value / 1e15), PFLOP_HOUR),
  )
}

function gridProblems(grid: Entry<'grids'>): readonly string[] {
  const { carbon, pue } = grid.facts
  return [
    ...rangeProblems(`${entryPath(grid)} carbon (g/J)`, carbon.value, CARBON),
    ...(pue ? rangeProblems(`${entryPath(grid)} pue`, pue.value, PUE) : []),
  ]
}

function qualityProblems(quality: Entry<'quality'>): readonly string[] {
  const { value, low, high } = quality.facts.drop
  return low.value <= value.value && value.value <= high.value ? [] : [`${entryPath(quality)} drop: its bounds do not enclose it`]
}

function rangeProblems(what: string, value: number, band: Band): readonly string[] {
  return isWithin(value, band) ? [] : [`${what} is ${value.toPrecision(3)}, expected ${band[0]} to ${band[1]}`]
}
