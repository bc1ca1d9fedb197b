// The ledger of many runs from what each adds to the books. Sums of sums: nothing of a single run is looked at again.

import { TIME_CAUSES, type Ledger, type TimeCause } from '@ironlaw/contracts/ledger'
import type { BookCounts, BookedCause, FleetGroup, FleetLedger, RunBook } from '@ironlaw/contracts/ledger-fleet'
import { gapsOf, goodputOf, hasPrediction, gapWithAdvice, PRODUCTIVE, shareOf, sumOf } from './goodput.ts'

/** What the ledger of a run adds. */
export function bookOf({ causes, goodput: { program }, ...ledger }: Ledger): RunBook {
  const gaps = gapsOf(causes)
  const measured = new Map(causes.map(({ cause, accelerator_s }) => [cause, accelerator_s]))
  const rated_accelerator_s = program === undefined ? 0 : sumOf(measured, PRODUCTIVE)
  const one = (said: boolean): number => (said ? 1 : 0)
  return {
    counts: {
      runs: 1,
      planned: one(hasPrediction(causes)),
      priced: one(ledger.cost_usd !== undefined),
      powered: one(ledger.energy_j !== undefined),
      located: one(ledger.carbon_g !== undefined),
      peak_accelerator_s: (program ?? 0) * rated_accelerator_s,
      rated_accelerator_s,
    },
    causes: causes.map(({ cause, accelerator_s, predicted_accelerator_s = 0, cost_usd = 0, energy_j = 0, carbon_g = 0 }) => ({
      cause,
      accelerator_s,
      predicted_accelerator_s,
      gap_accelerator_s: gaps.get(cause) ?? 0,
      cost_usd,
      energy_j,
      carbon_g,
    })),
  }
}

type FleetLedgerRequest = Pick<FleetLedger, 'from_at' | 'to_at' | 'by' | 'live' | 'unbooked'>

/** `books` by the name of their group; under one name when nothing groups them. */
export function fleetLedger(books: ReadonlyMap<string, RunBook>, wanted: FleetLedgerRequest): FleetLedger {
  const whole = sumOfBooks([...books.values()])
  const { accelerator_s, ...summed } = summary(whole)
  const groups = [...books].map(([name, book]): FleetGroup => {
    const own = summary(book)
    return { name, share: shareOf(own.accelerator_s, accelerator_s), ...own }
  })
  return {
    ...wanted,
    ...summed,
    accelerator_s,
    causes: whole.causes.map(({ cause, accelerator_s: time, predicted_accelerator_s, ...entry }) => ({
      cause,
      accelerator_s: time,
      share: shareOf(time, accelerator_s),
      ...(predicted_accelerator_s > 0 && { predicted_accelerator_s }),
      ...knownSpending(whole.counts, entry),
    })),
    groups: wanted.by === 'cause' ? [] : groups.toSorted((a, b) => b.accelerator_s - a.accelerator_s),
  }
}

type Summary = Omit<FleetGroup, 'name' | 'share'>

function summary({ counts, causes }: RunBook): Summary {
  const measured = new Map(causes.map(({ cause, accelerator_s }) => [cause, accelerator_s]))
  const of = (field: Exclude<keyof BookedCause, 'cause'>): number => causes.reduce((sum, entry) => sum + entry[field], 0)
  const gap = gapWithAdvice(causes.map(({ cause, gap_accelerator_s }) => ({ cause, accelerator_s: gap_accelerator_s })))
  return {
    runs: counts.runs,
    accelerator_s: of('accelerator_s'),
    goodput: goodputOf(measured, counts),
    ...knownSpending(counts, { cost_usd: of('cost_usd'), energy_j: of('energy_j'), carbon_g: of('carbon_g') }),
    known: { cost_usd: counts.priced, energy_j: counts.powered, carbon_g: counts.located },
    ...(gap && { gap }),
  }
}

type Sums = Pick<BookedCause, 'cost_usd' | 'energy_j' | 'carbon_g'>

const knownSpending = ({ priced, powered, located }: BookCounts, { cost_usd, energy_j, carbon_g }: Sums): Partial<Sums> => ({
  ...(priced > 0 && { cost_usd }),
  ...(powered > 0 && { energy_j }),
  ...(located > 0 && { carbon_g }),
})

function sumOfBooks(books: readonly RunBook[]): RunBook {
  const count = (field: keyof BookCounts): number => books.reduce((sum, { counts }) => sum + counts[field], 0)
  const entries = Map.groupBy(
    books.flatMap(({ causes }) => causes),
    ({ cause }) => cause,
  )
  return {
    counts: {
      runs: count('runs'),
      planned: count('planned'),
      priced: count('priced'),
      powered: count('powered'),
      located: count('located'),
      peak_accelerator_s: count('peak_accelerator_s'),
      rated_accelerator_s: count('rated_accelerator_s'),
    },
    causes: TIME_CAUSES.map((cause) => summedCause(cause, entries.get(cause) ?? [])),
  }
}

function summedCause(cause: TimeCause, entries: readonly BookedCause[]): BookedCause {
  const sum = (field: Exclude<keyof BookedCause, 'cause'>): number => entries.reduce((total, entry) => total + entry[field], 0)
  return {
    cause,
    accelerator_s: sum('accelerator_s'),
    predicted_accelerator_s: sum('predicted_accelerator_s'),
    gap_accelerator_s: sum('gap_accelerator_s'),
    cost_usd: sum('cost_usd'),
    energy_j: sum('energy_j'),
    carbon_g: sum('carbon_g'),
  }
}
