import { expect, test } from 'vitest'
import { sightingOf } from '../slurm/job-list.ts'
import { type ShownJob, jobOf, jobsOf, sightingContext } from './shown-job.ts'

const PENDING: ShownJob = {
  job_id: 7,
  name: 'il-a',
  comment: 'a',
  user_name: 'root',
  job_state: 'PENDING',
  state_reason: 'Priority',
  nodes: '',
  start_time: 0,
  exit_code: 0,
  priority: 100,
  required_nodes: '',
  node_count: 1,
  tasks: 1,
  minimum_cpus_per_node: 1,
  time_limit: null,
  partition: 'main',
  current_working_directory: '/',
}
const EARLIER = { ...PENDING, job_id: 3, name: 'somebody-else' }
const LESS_URGENT = { ...PENDING, job_id: 2, priority: 99 }

test.each([
  [{}, { state: 'pending', reason: 'Priority', position: 2 }],
  [{ start_time: 1_794_718_017 }, { state: 'pending', reason: 'Priority', position: 2, estimatedStartAt: 1_794_718_017 }],
  [
    { job_state: 'RUNNING', nodes: 'n[1-2]' },
    { state: 'running', nodes: ['n1', 'n2'], unresponsive: [] },
  ],
  [{ job_state: 'COMPLETING', nodes: 'n2' }, { state: 'ending' }],
  [
    { job_state: 'FAILED', exit_code: 19_200 },
    { state: 'ended', how: 'failed', exit: 75 },
  ],
  [
    { job_state: 'FAILED', exit_code: 9 },
    { state: 'ended', how: 'failed', exit: 137 },
  ],
])('%j', (change, sighting) => {
  const job = { ...PENDING, ...change }
  expect(sightingOf(jobOf(job), sightingContext([LESS_URGENT, job, EARLIER]))).toEqual(sighting)
})

test('the jobs of a key, lowest id first', () => {
  expect(jobsOf([PENDING, EARLIER, LESS_URGENT], 'a').map(({ job_id }) => job_id)).toEqual([2, 7])
})
