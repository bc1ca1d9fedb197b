import { LEDGER, TIME_CAUSES, type Ledger } from '@ironlaw/contracts/ledger'
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
  causes: TIME_CAUSES.map((cause) => {
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
      allocated_at: 58,
      started_at: 61,
      first_step_at: 70,
      lost_steps: 3,
    },
  ],
})

test('a run that is not the planned one says so before anything else', () => {
  const text = ledgerText({ ...LEDGER_OF_RUN, deviations: [{ field: 'tensor', planned: '2', running: '1' }] })
  expect(text.split('\n').slice(0, 2)).toEqual([
    'the program does not run what was planned, so the prediction is for a different run',
    '  tensor: planned 2, running 1',
  ])
})

test('a ledger for people', () => {
  expect(ledgerText(LEDGER_OF_RUN).split('\n')).toEqual([
    'tiny-1  succeeded: 100 s on 4 accelerators, 20 steps that count',
    'goodput 45.0 % of the time, 18.0 % of the peak',
    '  scheduling  90.0 %  of the time all accelerators were allocated (excludes queueing, allocation and recovery)',
    '  runtime     50.0 %  of that went into steps that count: without start, load, stalls, checkpoints, lost work, detection',
    '  program     40.0 %  of the peak was reached in those: the MFU of the plan, at the measured pace',
    '',
    'where the time went    measured   share  predicted',
    'queue                      10 s  10.0 %             ████',
    'load                       20 s  20.0 %                 ████████',
    'compute                    40 s  40.0 %     37.5 s              ████████████████',
    'exposed communication      10 s  10.0 %      7.5 s                              ████',
    'lost work                  15 s  15.0 %                                             ██████',
    'detection                   5 s   5.0 %                                                   ██',
    '',
    'largest gap: load, 20 s not accounted for in the plan',
    '  next: read faster',
    '',
    'ATTEMPT  ENDED BY  LOST STEPS  DETECTED  RESUBMITTED  ALLOCATED  STARTED  FIRST STEP  IN ALL',
    '      1  hang               3       5 s          1 s        2 s      3 s         9 s    20 s',
    '',
    'learn from it: ironlaw calibrate --from tiny-1',
  ])
})

test('money, energy and carbon are shown if the plan has them, and a run without recoveries shows none', () => {
  const priced = {
    ...LEDGER_OF_RUN,
    cost_usd: 8,
    energy_j: 3.6e6,
    carbon_g: 400,
    causes: LEDGER_OF_RUN.causes.map((entry) => ({ ...entry, cost_usd: 0.5, energy_j: 3600, carbon_g: 25 })),
    recoveries: [],
  }
  expect(ledgerText(priced)).toContain('20 steps that count, $8.00, 1 kWh, 400 g')
  expect(ledgerText(priced)).toMatch(/measured +share +predicted +cost +energy +CO2e/)
  expect(ledgerText(priced)).toMatch(/queue +10 s +10.0 % +\$0.50 +3.6 kJ +25 g/)
  expect(ledgerText(priced)).not.toContain('ATTEMPT')
  const { gap: _, ...asPlanned } = LEDGER_OF_RUN
  expect(ledgerText(asPlanned)).toContain('nothing took longer')
})

test('for a program that reports no steps the known figures are shown, without advice', () => {
  const { gap: _, ...rest } = LEDGER_OF_RUN
  const causes = LEDGER_OF_RUN.causes.map(({ cause }) => {
    const accelerator_s = { queue: 4, start: 4, running: 392 }[cause as string] ?? 0
    return { cause, accelerator_s, share: accelerator_s / 400 }
  })
  const text = ledgerText({ ...rest, steps: 0, causes, goodput: { scheduling: 0.99 }, recoveries: [] })
  expect(text.split('\n')).toEqual([
    'tiny-1  succeeded: 100 s on 4 processes, no steps reported',
    'goodput is unknown: the program reports no steps',
    '  scheduling  99.0 %  of the time all accelerators were allocated (excludes queueing, allocation and recovery)',
    '',
    'where the time went  measured   share  predicted',
    'queue                     1 s   1.0 %',
    'start                     1 s   1.0 %             █',
    'running                  98 s  98.0 %              ███████████████████████████████████████',
  ])
})
