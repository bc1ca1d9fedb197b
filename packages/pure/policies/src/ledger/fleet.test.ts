import { fc, test as propertyTest } from '@fast-check/vitest'
import { TIME_CAUSES, type Ledger } from '@ironlaw/contracts/ledger'
import { FLEET_LEDGER, type FleetLedger, type RunBook } from '@ironlaw/contracts/ledger-fleet'
import { describe, expect, test } from 'vitest'
import { ledgerOf as account } from './account.fixture.ts'
import type { RunPrediction } from './facts.ts'
import { bookOf, fleetLedger } from './fleet.ts'

const WINDOW = { from_at: 0, to_at: 100, by: 'project', live: 0, unbooked: 0 } as const

/** One attempt of a node of 4: queued for `wait`, then steps of 10 s; computing takes 6 s of each. */
const ledgerOf = ({
  wait,
  steps,
  predicted,
}: {
  readonly wait: number
  readonly steps: number
  readonly predicted?: RunPrediction
}): Ledger =>
  account({
    run: 'r',
    state: 'succeeded',
    createdAt: 0,
    until: wait + 10 * steps,
    nodes: 1,
    processesPerNode: 4,
    attempts: [
      {
        number: 1,
        nodes: 1,
        submittedAt: wait,
        startedAt: wait,
        endedAt: wait + 10 * steps,
        outcome: { cause: 'completed', detail: '' },
        steps: Array.from({ length: steps }, (_, index) => ({
          step: index + 1,
          at: wait + 10 * (index + 1),
          seconds: 10,
          phases_s: { compute: 6, data: 4 },
        })),
      },
    ],
    ...(predicted && { predicted }),
  })

const PRICED: RunPrediction = { step_s: 5, causes_s: { products: 5 }, mfu: 0.5, cost_usd: 80, duration_s: 10, devices: 4 }

const fleetLedgerOf = (runs: readonly (readonly [name: string, ledger: Ledger])[]): FleetLedger => {
  const books = new Map<string, RunBook>()
  for (const [name, ledger] of runs) {
    const [before, book] = [books.get(name), bookOf(ledger)]
    books.set(name, before ? sumOfTwoBooks(before, book) : book)
  }
  return FLEET_LEDGER.parse(fleetLedger(books, WINDOW))
}

/** As the store adds. */
const sumOfTwoBooks = (left: RunBook, right: RunBook): RunBook => ({
  counts: sums(left.counts, right.counts),
  causes: left.causes.map((entry, index) => ({ ...sums(entry, { ...right.causes[index] }), cause: entry.cause })),
})

const sums = <Row extends object>(left: Row, right: object): Row => {
  const numbers = new Map(Object.entries(right))
  return JSON.parse(
    JSON.stringify(Object.fromEntries(Object.entries(left).map(([name, value]) => [name, Number(value) + Number(numbers.get(name))]))),
  )
}

describe('two projects, by hand', () => {
  const fleet = fleetLedgerOf([
    ['a', ledgerOf({ wait: 10, steps: 3, predicted: PRICED })],
    ['a', ledgerOf({ wait: 0, steps: 1 })],
    ['b', ledgerOf({ wait: 50, steps: 1 })],
  ])

  test('time, money and goodput are of all', () => {
    expect(fleet).toMatchObject({ runs: 3, accelerator_s: 4 * 110, cost_usd: 4 * 30 * 2, known: { cost_usd: 1, energy_j: 0 } })
    expect(fleet).not.toHaveProperty('energy_j')
    expect(fleet.goodput.scheduling).toBeCloseTo(50 / 110, 12)
    expect(fleet.goodput.runtime).toBeCloseTo(30 / 50, 12)
    // Only the planned run has an MFU: 0.5 of 3 steps of 5 s, in 18 s of computing.
    expect(fleet.goodput.program).toBeCloseTo((0.5 * 15) / 18, 12)
    expect(fleet.causes.find(({ cause }) => cause === 'compute')).toMatchObject({ accelerator_s: 120, predicted_accelerator_s: 60 })
  })

  test('computing of runs without a plan is no gap', () => {
    expect(fleet.gap).toMatchObject({ cause: 'queue', accelerator_s: 240 })
    expect(fleet.groups.map(({ name, runs, gap }) => [name, runs, gap?.cause, gap?.accelerator_s])).toEqual([
      ['b', 1, 'queue', 200],
      ['a', 2, 'data stall', 64],
    ])
  })

  test('nothing booked', () => {
    const empty = FLEET_LEDGER.parse(fleetLedger(new Map(), { ...WINDOW, by: 'cause' }))
    expect(empty).toMatchObject({ runs: 0, accelerator_s: 0, goodput: { scheduling: 0, runtime: 0 }, groups: [] })
    expect(empty.causes).toHaveLength(TIME_CAUSES.length)
  })
})

const money = fc.double({ min: 0, max: 1e6, noNaN: true })
const ledger = fc
  .record({
    wait: fc.double({ min: 0, max: 1e4, noNaN: true }),
    steps: fc.integer({ min: 0, max: 5 }),
    predicted: fc.option(fc.record({ cost_usd: money, energy_j: money, carbon_g: money }, { requiredKeys: [] }), { nil: undefined }),
  })
  .map(({ wait, steps, predicted }) => ledgerOf({ wait, steps, ...(predicted && { predicted: { ...PRICED, ...predicted } }) }))

propertyTest.prop([fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), ledger), { maxLength: 20 })])(
  'what the fleet has is what its runs have',
  (runs) => {
    const fleet = fleetLedgerOf(runs)
    const all = runs.map(([, each]) => each)
    const total = (of: (ledger: Ledger) => number | undefined): number => all.reduce((sum, each) => sum + (of(each) ?? 0), 0)
    const close = (got: number | undefined, wanted: number): void => expect(got ?? 0).toBeCloseTo(wanted, 5)
    close(
      fleet.accelerator_s,
      total(({ wall_s, accelerators }) => wall_s * accelerators),
    )
    for (const field of ['cost_usd', 'energy_j', 'carbon_g'] as const) {
      close(
        fleet[field],
        total((each) => each[field]),
      )
      close(
        fleet.groups.reduce((sum, group) => sum + (group[field] ?? 0), 0),
        fleet[field] ?? 0,
      )
    }
    for (const { cause, accelerator_s } of fleet.causes)
      close(
        accelerator_s,
        total(({ causes }) => causes.find((each) => each.cause === cause)?.accelerator_s),
      )
    expect(fleet.groups.reduce((sum, { runs: count }) => sum + count, 0)).toBe(fleet.runs)
  },
)
