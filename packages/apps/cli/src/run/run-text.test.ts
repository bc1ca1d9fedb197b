import { RUN, type RunView } from '@ironlaw/contracts/api'
import { expect, test } from 'vitest'
import { showAge, eventLine, runsTable } from './run-text.ts'

test.each([
  [-3, '0s'],
  [0.4, '0s'],
  [59.4, '59s'],
  [141, '2m21s'],
  [3600, '1h00m'],
  [11_100, '3h05m'],
  [86_399.6, '1d00h'],
  [4 * 86_400 + 7 * 3600, '4d07h'],
])('%d s is %s', (span_s, text) => expect(showAge(span_s)).toBe(text))

const run = (over: Partial<RunView>): RunView =>
  RUN.parse({
    id: 'r',
    name: 'r',
    project: 'p',
    team: 't',
    state: 'running',
    state_since_at: 0,
    why: '',
    plan: 'plan-1',
    shape: { nodes: 1, processesPerNode: 1, smaller: [] },
    argv: [],
    environment: [],
    attempt: 1,
    created_at: 0,
    created_by: 'ada',
    ...over,
  })

test('runs in a table: what is known of each, and nothing where nothing is', () => {
  const runs = [
    run({ id: 'tiny-1', step: 40, steps: 200, loss: 2.5, step_s: 0.5, predicted_step_s: 0.4 }),
    run({ id: 'nan-1', step: 1, loss: null, step_s: 2 }),
    run({ id: 'job-1', kind: 'Job' }),
    run({ id: 'new-1', state: 'starting', steps: 200, predicted_step_s: 0.4, why: 'gathering nodes' }),
    run({ id: 'old-1', state: 'succeeded', step: 100, steps: 200, step_s: 1 }),
  ]
  expect(
    runsTable(runs, 141)
      .split('\n')
      .map((line) => line.trimEnd()),
  ).toEqual([
    'RUN     STATE         STEP          LOSS  STEP TIME  PREDICTED   LEFT  ATTEMPT    AGE  WHY',
    'tiny-1  running     40/200         2.500     500 ms     400 ms  1m20s        1  2m21s',
    'nan-1   running          1  not a number        2 s                          1  2m21s',
    'job-1   running                                                              1  2m21s',
    'new-1   starting                                        400 ms               1  2m21s  gathering nodes',
    'old-1   succeeded  100/200                      1 s                          1  2m21s',
  ])
})

test('an event shows its fields, and its time once', () => {
  const body = { at: 1794779813.9, code: null, tail: '', detail: { ranks: [0, 1] }, suspects: [], signal: 9 }
  const event = { cursor: '', stream: '', sequence: 1, at: 0, kind: 'rank-exited', actor: 'agent/n1', body, hash: '' }
  expect(eventLine(event)).toMatch(/rank-exited +agent\/n1 +ranks=0,1 signal=9$/)
})
