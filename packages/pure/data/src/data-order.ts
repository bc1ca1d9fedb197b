// The order of samples as a function of position. position -> phase -> source and its own counter -> epoch and place in it -> sample, and
// each arrow has an inverse. The state of a loader is therefore one number, whatever the number of ranks and workers, and "when was this sample
// seen" needs no record.

import { canonicalJson } from '@ironlaw/contracts'
import type { DataOrder as OrderDocument } from '@ironlaw/contracts/data-order'
import { type Mixture, mixture } from './mixture.ts'
import { type Permutation, permutation } from './permutation.ts'

export type OrderPlan = Pick<OrderDocument, 'seed' | 'sources' | 'phases'>

export type Placed = {
  readonly phase: number
  readonly source: string
  /** How many samples of this source came before, over all phases. */
  readonly k: number
  readonly epoch: number
  readonly sample: number
}

export type Order = {
  /** Undefined at and after the end of a last phase that has one. */
  readonly at: (position: number) => Placed | undefined
  /** Every position that shows the sample, from the first on; without end where the last phase has none. */
  readonly positionsOf: (source: string, sample: number) => Iterable<number>
  readonly firstPosition: (source: string, sample: number) => number | undefined
  /** Samples of a source before a position. */
  readonly taken: (source: string, position: number) => number
}

type Phase = {
  readonly start: number
  readonly end: number
  readonly mixture: Mixture
  /** By source: what earlier phases took. */
  readonly taken: readonly number[]
}

export function dataOrder({ seed, sources, phases: written }: OrderPlan): Order {
  const numbers = new Map(sources.map(({ name }, number) => [name, number]))
  const phases = laidOut(written, numbers)
  const epochs = sources.map(({ name, samples }) => permutationOfEpoch({ seed, name, samples }))
  const numberOf = (source: string): number => {
    const number = numbers.get(source)
    if (number === undefined) throw new RangeError(`the order has no source "${source}"; it has ${[...numbers.keys()].join(', ')}`)
    return number
  }

  function at(position: number): Placed | undefined {
    if (!Number.isSafeInteger(position) || position < 0) throw new RangeError(`there is no position ${position}`)
    const number = lastWhere(phases, ({ start }) => start <= position)
    const phase = phases[number]
    if (phase === undefined || position >= phase.end) return undefined
    const { source, nth } = phase.mixture.at(position - phase.start)
    const k = (phase.taken[source] ?? 0) + nth
    const { name = '', samples = 1 } = sources[source] ?? {}
    const epoch = Math.floor(k / samples)
    return { phase: number, source: name, k, epoch, sample: epochs[source]?.(epoch).at(k - epoch * samples) ?? 0 }
  }

  function positionOf(source: number, k: number): number | undefined {
    const phase = phases[lastWhere(phases, ({ taken }) => (taken[source] ?? 0) <= k)]
    const index = phase?.mixture.indexOf(source, k - (phase.taken[source] ?? 0))
    if (phase === undefined || index === undefined) return undefined
    const position = phase.start + index
    return position < phase.end && Number.isSafeInteger(position) ? position : undefined
  }

  function* positionsOf(name: string, sample: number): Generator<number> {
    const source = numberOf(name)
    const samples = sources[source]?.samples ?? 1
    for (let epoch = 0; ; epoch += 1) {
      const position = positionOf(source, epoch * samples + (epochs[source]?.(epoch).inverse(sample) ?? 0))
      if (position === undefined) return
      yield position
    }
  }

  return {
    at,
    positionsOf,
    firstPosition: (source, sample) => positionsOf(source, sample).next().value ?? undefined,
    taken: (name, position) => takenBefore(phases, { source: numberOf(name), position }),
  }
}

function laidOut(written: OrderPlan['phases'], numbers: ReadonlyMap<string, number>): readonly Phase[] {
  const phases: Phase[] = []
  for (const { until, sources } of written) {
    const start = phases.at(-1)?.end ?? 0
    const taken = [...numbers.values()].map((source) => takenBefore(phases, { source, position: start }))
    const shares = sources.map(({ source, weight }) => ({ source: numbers.get(source) ?? 0, weight }))
    phases.push({ start, end: until ?? Number.POSITIVE_INFINITY, mixture: mixture(shares), taken })
  }
  return phases
}

function takenBefore(phases: readonly Phase[], { source, position }: { readonly source: number; readonly position: number }): number {
  const phase = phases[lastWhere(phases, ({ start }) => start <= position)]
  if (phase === undefined) return 0
  return (phase.taken[source] ?? 0) + phase.mixture.count(source, Math.min(position, phase.end) - phase.start)
}

type SourceSeed = { readonly seed: number; readonly name: string; readonly samples: number }

/** Remembers the last epoch: neighbours in position are of the same one, and a digest costs more than a lookup. */
function permutationOfEpoch({ seed, name, samples }: SourceSeed): (epoch: number) => Permutation {
  let last: { readonly epoch: number; readonly order: Permutation } | undefined
  return (epoch) => {
    if (last?.epoch !== epoch) last = { epoch, order: permutation(epochSeed({ seed, name, epoch }), samples) }
    return last.order
  }
}

/** What the keys of an epoch are the digest of. Another way to order is another version of the format. */
const epochSeed = ({ seed, name, epoch }: { readonly seed: number; readonly name: string; readonly epoch: number }): string =>
  canonicalJson(['ironlaw/v1 DataOrder', seed, name, epoch])

/** The last of items for which a condition holds that holds up to some item and not after it; -1 if for none. */
function lastWhere<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  let [low, high] = [-1, items.length - 1]
  while (low < high) {
    const middle = low + Math.floor((high - low + 1) / 2)
    const item = items[middle]
    if (item !== undefined && holds(item)) low = middle
    else high = middle - 1
  }
  return low
}
