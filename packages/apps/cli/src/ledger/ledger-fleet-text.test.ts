import { TIME_CAUSES } from '@ironlaw/contracts/ledger'
import { FLEET_LEDGER } from '@ironlaw/contracts/ledger-fleet'
import { expect, test } from 'vitest'
import { fleetText } from './ledger-fleet-text.ts'

const MEASURED: Readonly<Record<string, number>> = { queue: 36_000, compute: 72_000 }

const summed = { runs: 1, goodput: { scheduling: 0.5, runtime: 1 }, known: { cost_usd: 0, energy_j: 0, carbon_g: 0 } }
const FLEET = FLEET_LEDGER.parse({
  from_at: 86_400,
  to_at: 1e6,
  by: 'team',
  runs: 3,
  accelerator_s: 108_000,
  causes: TIME_CAUSES.map((cause) => ({
    cause,
    accelerator_s: MEASURED[cause] ?? 0,
    share: (MEASURED[cause] ?? 0) / 108_000,
    cost_usd: (MEASURED[cause] ?? 0) / 3600,
  })),
  goodput: { scheduling: 2 / 3, runtime: 1, program: 0.4 },
  cost_usd: 20,
  known: { cost_usd: 2, energy_j: 0, carbon_g: 0 },
  gap: { cause: 'queue', accelerator_s: 36_000, next: 'look' },
  groups: [
    { name: 'vision', share: 2 / 3, accelerator_s: 72_000, ...summed, cost_usd: 20 },
    { name: 'speech', share: 1 / 3, accelerator_s: 36_000, ...summed, gap: { cause: 'queue', accelerator_s: 36_000, next: 'look' } },
  ],
  live: 4,
  unbooked: 1,
})

test('the ledger of a fleet for people', () => {
  expect(fleetText(FLEET).split('\n')).toEqual([
    '3 runs ended since 1970-01-02 00:00:00 UTC (not counted: 4 live, 1 that ended just now)',
    'accelerator time 30 h, $20.00 (runs whose plan says it: cost 2, energy 0, CO2e 0)',
    'goodput 66.7 % of the time, 26.7 % of the peak',
    expect.stringContaining('  scheduling  66.7 %  of the time'),
    expect.stringContaining('  runtime    100.0 %  of that'),
    expect.stringContaining('  program     40.0 %  of the peak'),
    '',
    'where the time went  measured   share  predicted    cost',
    'queue                    10 h  33.3 %             $10.00  █████████████',
    'compute                  20 h  66.7 %             $20.00               ███████████████████████████',
    '',
    'largest gap: queue, 10 h not accounted for in the plan',
    '  next: look',
    '',
    'TEAM    RUNS  TIME   SHARE  SCHEDULING  RUNTIME  PROGRAM    COST  LARGEST GAP',
    'vision     1  20 h  66.7 %      50.0 %  100.0 %           $20.00',
    'speech     1  10 h  33.3 %      50.0 %  100.0 %                   queue, 10 h',
  ])
})

test('nothing ended', () => {
  expect(fleetText({ ...FLEET, runs: 0, live: 0, unbooked: 0 })).toBe('0 runs ended since 1970-01-02 00:00:00 UTC')
})
