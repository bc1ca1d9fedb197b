import { expect, test } from 'vitest'
import { exitsIn, jobsIn, sightingOf } from './job-list.ts'

const sightingIn = (line: string) => sightingOf(jobsIn(line)[0], { exits: new Map([[7, 75]]), queue: [3, 7] })

test.each([
  ['7|1000|il-a|PENDING||N/A|Resources', { state: 'pending', reason: 'Resources', position: 2 }],
  [
    '7|1000|il-a|PENDING||2026-11-15T04:46:57|Priority',
    { state: 'pending', reason: 'Priority', position: 2, estimatedStartAt: 1_794_718_017 },
  ],
  ['7|1000|il-a|PENDING||N/A|None', { state: 'pending', reason: 'not yet looked at by the scheduler', position: 2 }],
  ['7|1000|il-a|CONFIGURING|n[1-2]|N/A|None', { state: 'pending', reason: 'CONFIGURING None', position: 2 }],
  ['7|1000|il-a|SOMETHING_NEW||N/A|x', { state: 'pending', reason: 'SOMETHING_NEW x', position: 2 }],
  ['7|1000|il-a|RUNNING|n[1-2]|2026-11-15T04:46:57|None', { state: 'running', nodes: ['n1', 'n2'], unresponsive: [] }],
  ['7|1000|il-a|COMPLETING|n2|2026-11-15T04:46:57|None', { state: 'ending' }],
  ['7|1000|il-a|FAILED|n2|2026-11-15T04:46:57|NonZeroExitCode', { state: 'ended', how: 'failed', exit: 75 }],
  ['8|1000|il-a|FAILED|n2|2026-11-15T04:46:57|NonZeroExitCode', { state: 'ended', how: 'failed' }],
  ['7|1000|il-a|NODE_FAIL|n2|2026-11-15T04:46:57|None', { state: 'ended', how: 'node-failed' }],
  ['7|1000|il-a|PREEMPTED|n2|2026-11-15T04:46:57|None', { state: 'ended', how: 'cancelled' }],
  ['7|1000|somebody-else|RUNNING|n2|2026-11-15T04:46:57|None', { state: 'absent' }],
])('%s', (line, sighting) => {
  expect(sightingIn(line)).toEqual(sighting)
})

test('the name of a job cannot pretend to be of another user', () => {
  expect(jobsIn('7|1001|il-a|RUNNING|n1|N/A|0|x|PENDING||N/A|None')).toMatchObject([{ uid: 1001, key: 'a' }])
})

test('jobs come by id, whatever the order of printing', () => {
  expect(jobsIn('10|1000|il-a|PENDING||N/A|x\n9|1000|il-a|RUNNING|n1|N/A|None\n').map(({ id }) => id)).toEqual([9, 10])
})

test('a status of wait is an exit status, or 128 and the signal', () => {
  expect([...exitsIn('1   0   \n2   19200   \n3   9   \n').values()].slice(0, 3)).toEqual([0, 75, 137])
})
