// From the rows of a measuring job to the figures of a machine: what each class of work costs by the number of ranks on a node, what an
// exchange costs by its ranks, and what storage gives.

import { median } from '@ironlaw/laws/quantile'
import { type Fit, fitCosts } from './fit.ts'
import type {
  AttentionRow,
  CollectiveName,
  CollectiveRow,
  LaunchRow,
  LayerRow,
  MachineRow,
  MeasuredRow,
  ProductRow,
} from './measurement.ts'
import { type Figure, figureOf } from './samples.ts'
import { attentionUnits, collectiveVolume, layerProducts, layerVectorBytes, productUnits } from './units-of-work.ts'

/** What ranks that share a node get of it, each. Rates are per second; a figure that nothing shows is absent. */
export type SharedNode = {
  readonly products?: Readonly<Partial<Record<'start_s' | 'flop' | 'ramp' | 'bytes', Figure>>>
  readonly attention?: Readonly<Partial<Record<'start_s' | 'flop' | 'bytes' | 'backward', Figure>>>
  /** Bytes of perfectly fused elementwise work, as programs get through them operator by operator. */
  readonly vector?: Figure
  readonly copy?: Figure
  /** A checkpoint to host memory: what each costs at least, and the rate of a rank. */
  readonly staging?: { readonly start_s: Figure; readonly bytes: Figure }
  /** Elements of FP32 AdamW, clipping included. */
  readonly optimizer?: Figure
  readonly launch?: { readonly forward_s: Figure; readonly backward_s: Figure }
  readonly collectives?: Readonly<Partial<Record<CollectiveName, Collective>>>
}

export type Collective = { readonly alpha_s: Figure; readonly bytes: Figure }

export type Storage = { readonly read: Figure; readonly write: Figure; readonly latency_s: Figure }

export type MeasuredMachine = {
  /** By ranks on one node. */
  readonly sharing: Readonly<Record<string, SharedNode>>
  /** By nodes, all ranks of each. */
  readonly across: Readonly<Record<string, Readonly<Partial<Record<CollectiveName, Collective>>>>>
  readonly storage?: Storage
  /** Between nodes, one standard deviation, relative; absent where one node was measured. */
  readonly nodeSpread?: Figure
}

export function measuredMachine(machine: Pick<MachineRow, 'element_bytes'>, rows: readonly MeasuredRow[]): MeasuredMachine {
  const counts = [...new Set(rows.flatMap((row) => ('nodes' in row ? (row.nodes === 1 ? [row.ranks] : []) : [row.ranks])))]
  const collectives = rows.filter((row) => row.measured === 'collective')
  const nodes = [...new Set(collectives.map((row) => row.nodes))].filter((count) => count > 1)
  const storage = storageOf(rows)
  const nodeSpread = spreadOfNodes(rows)
  return {
    sharing: Object.fromEntries(
      counts
        .toSorted((a, b) => a - b)
        .map((ranks) => [ranks, sharedNode(machine.element_bytes, { ranks, rows: rows.filter((row) => row.ranks === ranks) })]),
    ),
    across: Object.fromEntries(nodes.map((count) => [count, collectivesOf(collectives.filter((row) => row.nodes === count))])),
    ...(storage && { storage }),
    ...(nodeSpread && { nodeSpread }),
  }
}

const readings = ({ seconds }: Pick<MeasuredRow, 'seconds'>): readonly number[] => Object.values(seconds).flat()
const timeOf = (row: Pick<MeasuredRow, 'seconds'>): number => median(readings(row))

/** A cost of a fit as a figure: its spread is what the fit misses and what the readings of a row differ by. */
function costFigure(fit: Fit, rows: readonly Pick<MeasuredRow, 'seconds'>[], value: number): Figure {
  const noise = median(rows.map((row) => figureOf(readings(row)).spread))
  return { value, spread: Math.hypot(fit.error, noise), samples: rows.reduce((sum, row) => sum + readings(row).length, 0) }
}

type SharedRows = { readonly ranks: number; readonly rows: readonly MeasuredRow[] }

function sharedNode(elementBytes: number, { ranks, rows }: SharedRows): SharedNode {
  const products = productsOf(
    elementBytes,
    rows.filter((row) => row.measured === 'product'),
  )
  const attention = attentionOf(rows.filter((row) => row.measured === 'attention'))
  const vector =
    products && attention && vectorOf(elementBytes, { products, attention, rows: rows.filter((row) => row.measured === 'layer') })
  const copies = rows.filter((row) => row.measured === 'copy')
  const staging = stagingOf(rows)
  const updates = rows.filter((row) => row.measured === 'optimizer')
  const launch = launchOf(rows.filter((row) => row.measured === 'launch'))
  const inside = rows.filter((row) => row.measured === 'collective').filter((row) => row.nodes === 1 && row.ranks === ranks)
  return {
    ...(products && { products: products.figures }),
    ...(attention && { attention: attention.figures }),
    ...(vector && { vector }),
    ...(copies.length > 0 && { copy: figureOf(copies.flatMap((row) => readings(row).map((time) => row.bytes / time))) }),
    ...(staging && { staging }),
    ...(updates.length > 0 && { optimizer: figureOf(updates.flatMap((row) => readings(row).map((time) => row.elements / time))) }),
    ...(launch && { launch }),
    ...(inside.length > 0 && { collectives: collectivesOf(inside) }),
  }
}

function stagingOf(all: readonly MeasuredRow[]): SharedNode['staging'] {
  const rows = all.filter((row) => row.measured === 'staging')
  const fit = fitCosts(rows.map((row) => ({ units: [1, row.bytes], seconds: timeOf(row) })))
  const bytes = rate(fit.costs[1], (value) => costFigure(fit, rows, value))
  return bytes && { start_s: costFigure(fit, rows, fit.costs[0] ?? 0), bytes }
}

/** A cost per unit as a rate; absent where the fit found that the part costs nothing. */
const rate = (cost: number | undefined, make: (value: number) => Figure): Figure | undefined =>
  cost === undefined || cost === 0 ? undefined : make(1 / cost)

type Curve<F> = { readonly figures: F; readonly costs: readonly number[] }

function productsOf(elementBytes: number, rows: readonly ProductRow[]): Curve<NonNullable<SharedNode['products']>> | undefined {
  if (rows.length === 0) return undefined
  const fit = fitCosts(rows.map((row) => ({ units: productUnits(row, elementBytes), seconds: timeOf(row) })))
  const [start = 0, flop = 0, ramp = 0, moved] = fit.costs
  const figure = (value: number): Figure => costFigure(fit, rows, value)
  const operations = rate(flop, figure)
  const bytes = rate(moved, figure)
  return {
    costs: fit.costs,
    figures: {
      start_s: figure(start),
      ...(operations && { flop: operations, ramp: figure(ramp / flop) }),
      ...(bytes && { bytes }),
    },
  }
}

function attentionOf(
  rows: readonly AttentionRow[],
): (Curve<NonNullable<SharedNode['attention']>> & { readonly backward: number }) | undefined {
  const forward = rows.filter(({ way }) => way === 'forward')
  if (forward.length === 0) return undefined
  const fit = fitCosts(forward.map((row) => ({ units: attentionUnits(row), seconds: timeOf(row) })))
  const [start = 0, moved, flop] = fit.costs
  const figure = (value: number): Figure => costFigure(fit, forward, value)
  const same = (a: AttentionRow, b: AttentionRow): boolean =>
    a.sequences === b.sequences && a.heads === b.heads && a.length === b.length && a.width === b.width
  const ratios = rows
    .filter(({ way }) => way === 'both')
    .flatMap((both) => forward.filter((one) => same(one, both)).map((one) => Math.max(0.5, timeOf(both) / timeOf(one) - 1)))
  const backward = ratios.length === 0 ? undefined : figureOf(ratios)
  const bytes = rate(moved, figure)
  const operations = rate(flop, figure)
  return {
    costs: fit.costs,
    backward: backward?.value ?? 2,
    figures: { start_s: figure(start), ...(bytes && { bytes }), ...(operations && { flop: operations }), ...(backward && { backward }) },
  }
}

/** Elementwise work backward reads the gradient besides what it read forward (planner/training/time/layer-time.ts). */
const VECTOR_BACKWARD = 1.5

type Layers = {
  readonly products: { readonly costs: readonly number[] }
  readonly attention: { readonly costs: readonly number[]; readonly backward: number }
  readonly rows: readonly LayerRow[]
}

/** What a layer takes beyond its products and its attention, over the bytes that fused elementwise work would move. */
function vectorOf(elementBytes: number, { products, attention, rows }: Layers): Figure | undefined {
  const cost = (units: readonly number[], costs: readonly number[]): number =>
    units.reduce((sum, count, part) => sum + count * (costs[part] ?? 0), 0)
  const rates = rows.flatMap((row) => {
    const multiplied = layerProducts(row)
      .flatMap(({ m, n, k }) => [
        { m, n, k },
        { m, n: k, k: n },
        { m: n, n: k, k: m },
      ])
      .reduce((sum, product) => sum + cost(productUnits(product, elementBytes), products.costs), 0)
    // Each gradient of weights is added to what is there: read and written, in 32 bits.
    const added = layerProducts(row).reduce((sum, { n, k }) => sum + cost([0, 0, 0, 2 * 4 * n * k], products.costs), 0)
    const attended = cost(attentionUnits({ ...row, width: row.width / row.heads }), attention.costs) * (1 + attention.backward)
    const moved = row.layers * layerVectorBytes(row, elementBytes) * (1 + VECTOR_BACKWARD)
    const rest = timeOf(row) - row.layers * (multiplied + added + attended)
    return rest > 0 ? [moved / rest] : []
  })
  return rates.length === 0 ? undefined : { ...figureOf(rates), samples: rows.reduce((sum, row) => sum + readings(row).length, 0) }
}

function launchOf(rows: readonly LaunchRow[]): SharedNode['launch'] {
  const [forward, both] = (['forward', 'both'] as const).map((way) => rows.find((row) => row.way === way))
  if (!forward || !both) return undefined
  const forward_s = figureOf(readings(forward).map((time) => time / forward.layers))
  const all = figureOf(readings(both).map((time) => time / both.layers))
  return { forward_s, backward_s: { ...all, value: Math.max(forward_s.value, all.value - forward_s.value) } }
}

function collectivesOf(rows: readonly CollectiveRow[]): Readonly<Partial<Record<CollectiveName, Collective>>> {
  const found = [...Map.groupBy(rows, ({ name }) => name)].flatMap(([name, same]) => {
    const fit = fitCosts(same.map((row) => ({ units: [1, row.bytes * collectiveVolume(name, row.ranks)], seconds: timeOf(row) })))
    const [alpha = 0, moved] = fit.costs
    const bytes = rate(moved, (value) => costFigure(fit, same, value))
    return bytes ? [[name, { alpha_s: costFigure(fit, same, alpha), bytes }] as const] : []
  })
  return Object.fromEntries(found)
}

/** Of a node, with all its ranks at once: that is how checkpoints are written. */
function storageOf(rows: readonly MeasuredRow[]): Storage | undefined {
  const files = rows.filter((row) => row.measured === 'storage')
  const ranks = Math.max(0, ...files.map((row) => row.ranks))
  const fits = (['read', 'write'] as const).map((way) => {
    const same = files.filter((row) => row.ranks === ranks && row.way === way)
    return { same, fit: fitCosts(same.map((row) => ({ units: [1, row.bytes * ranks], seconds: timeOf(row) }))) }
  })
  const [read, write] = fits.map(({ same, fit }) => rate(fit.costs[1], (value) => costFigure(fit, same, value)))
  const [, writing] = fits
  return read && write && writing ? { read, write, latency_s: costFigure(writing.fit, writing.same, writing.fit.costs[0] ?? 0) } : undefined
}

/** How nodes differ in the same products. */
function spreadOfNodes(rows: readonly MeasuredRow[]): Figure | undefined {
  const differences = rows
    .filter((row) => row.measured === 'product')
    .flatMap(({ seconds }) => {
      const times = Object.values(seconds).map(median)
      return times.length > 1 ? times.map((time) => time / median(times)) : []
    })
  if (differences.length === 0) return undefined
  const found = figureOf(differences)
  return { ...found, value: found.spread }
}
