import { LEDGER, LEDGER_CAUSES, type Ledger } from '@ironlaw/contracts/ledger'
import { expect, test } from 'vitest'
import { ledgerText } from './ledger-text.ts'

const MEASURED: Readonly<Record<string, readonly [measured: number, predicted?: number]>> = {
  queue: [40],
  load: [80],
  compute: [160, 150],
  'exposed communication': [40, 30],
  'lost work': [60],
  detection: [20],
}

const LEDGER_OF_RUN: Ledger = LEDGER.parse({
  run: 'tiny-1',
  state: 'succeeded',
  from_at: 0,
  to_at: 100,
  wall_s: 100,
  accelerators: 4,
  steps: 20,
  causes: LEDGER_CAUSES.map((cause) => {
    const [accelerator_s, predicted] = MEASURED[cause] ?? [0]
    return { cause, accelerator_s, share: accelerator_s / 400, ...(predicted !== undefined && { predicted_accelerator_s: predicted }) }
  }),
  goodput: { scheduling: 0.9, runtime: 0.5, program: 0.4 },
  gap: { cause: 'load', accelerator_s: 80, next: 'read faster' },
  recoveries: [
    {
      attempt: 1,
      cause: 'hang',
      detail: 'no step',
      last_step_at: 50,
      detected_at: 55,
      resubmitted_at: 56,
      started_at: 58,
      first_step_at: 70,
      lost_steps: 3,
    },
  ],
})

test('a ledger for people', () => {
  expect(ledgerText(LEDGER_OF_RUN).split('\n')).toEqual([
    'tiny-1  succeeded: 100 s on 4 accelerators, 20 steps that count',
    'goodput 45.0 % of wall time: scheduling 90.0 % x runtime 50.0 %; times program 40.0 % of peak = 18.0 %',
    '',
    'where the time went    measured   share  predicted',
    'queue                      10 s  10.0 %             ████',
    'load                       20 s  20.0 %                 ████████',
    'compute                    40 s  40.0 %     37.5 s              ████████████████',
    'exposed communication      10 s  10.0 %      7.5 s                              ████',
    'lost work                  15 s  15.0 %                                             ██████',
    'detection                   5 s   5.0 %                                                   ██',
    '',
    'largest gap: load, 20 s which the plan does not foresee',
    '  next: read faster',
    '',
    'ATTEMPT  ENDED BY  LOST STEPS  DETECTED  RESUBMITTED  STARTED  FIRST STEP  IN ALL',
    '      1  hang               3       5 s          1 s      2 s        12 s    20 s',
  ])
})

test('money stands where the plan has a price, and a run without recoveries shows none', () => {
  const priced = {
    ...LEDGER_OF_RUN,
    cost_usd: 8,
    causes: LEDGER_OF_RUN.causes.map((entry) => ({ ...entry, cost_usd: 0.5 })),
    recoveries: [],
  }
  expect(ledgerText(priced)).toMatch(/20 steps that count, \$8/)
  expect(ledgerText(priced)).toMatch(/measured +share +predicted +cost/)
  expect(ledgerText(priced)).not.toContain('ATTEMPT')
  const { gap: _, ...asPlanned } = LEDGER_OF_RUN
  expect(ledgerText(asPlanned)).toContain('nothing took longer')
})
