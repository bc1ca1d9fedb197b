import { expect, test } from 'vitest'
import type { Node } from '../executor.ts'
import type { JobSpec } from '../job-spec.ts'
import type { ShownJob } from './shown-job.ts'
import { switchesRefusal, mismatchOf, nodesFor, submissionOf } from './submission.ts'

const JOB: JobSpec = {
  key: 'llama-3',
  nodes: 2,
  processesPerNode: 4,
  cpusPerProcess: 2,
  exclude: ['n1'],
  timeLimit_s: 90_061,
  argv: ['true'],
  env: { A: 'b', PATH: '/opt/bin' },
  directory: '/runs/a b',
  logDirectory: '/runs/a b/logs',
}

const HELD: ShownJob = {
  job_id: 8,
  name: 'il-llama-3',
  comment: 'llama-3',
  user_name: 'root',
  job_state: 'PENDING',
  state_reason: 'Resources',
  nodes: '',
  start_time: 0,
  exit_code: 0,
  priority: 4_294_901_755,
  required_nodes: 'n[2-3]',
  node_count: 2,
  tasks: 2,
  minimum_cpus_per_node: 8,
  time_limit: 1502,
  partition: 'main',
  current_working_directory: '/runs/a b',
}

const node = (name: string, free: number, state: Node['state'] = 'idle', slots = 8): Node => ({ name, state, slots, free })

test.each([
  ['free ones first', [node('n1', 8), node('n2', 4), node('n3', 8), node('n4', 8)], ['n3', 'n4']],
  ['busy before drained', [node('n2', 0, 'drained'), node('n3', 1), node('n4', 8)], ['n4', 'n3']],
  ['a drained one before none', [node('n2', 0, 'drained'), node('n4', 8)], ['n4', 'n2']],
  ['none that is too small', [node('n2', 4, 'idle', 4), node('n3', 0), node('n4', 0, 'down')], ['n3', 'n4']],
])('nodes instead of exclusions: %s', (_, fleet, chosen) => {
  expect(nodesFor(JOB, fleet)).toEqual(chosen)
})

test('nodes, limit and partition are said only where asked for, requeue never, and the environment is not empty', () => {
  const fleet = [node('n2', 8), node('n3', 8)]
  expect(submissionOf(JOB, fleet, { environment: {}, partition: 'main' }).job).toMatchObject({
    nodes: 2,
    nodelist: 'n2,n3',
    time_limit: 1502,
    partition: 'main',
    environment: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  })
  const { timeLimit_s: _, ...unlimited } = JOB
  const { job } = submissionOf({ ...unlimited, exclude: [] }, fleet, { environment: {}, partition: undefined })
  expect(Object.keys(job)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(?:nodelist|time_limit|partition|requeue)$/)]))
})

test('what Slurm holds as asked passes', () => {
  expect(mismatchOf(JOB, HELD, 'main')).toBeUndefined()
  const { timeLimit_s: _, ...unlimited } = JOB
  expect(mismatchOf({ ...unlimited, exclude: [] }, { ...HELD, required_nodes: '', time_limit: null }, undefined)).toBeUndefined()
})

test.each([
  ['nodes', { node_count: 1 }],
  ['nodes', { tasks: 16 }],
  ['processesPerNode', { minimum_cpus_per_node: 1 }],
  ['exclude', { required_nodes: '' }],
  ['exclude', { required_nodes: 'n[1-2]' }],
  ['timeLimit_s', { time_limit: null }],
  ['partition', { partition: 'debug' }],
  ['directory', { current_working_directory: '/' }],
  ['key', { comment: 'llama-2' }],
])('a different %s is named: %j', (field, held) => {
  expect(mismatchOf(JOB, { ...HELD, ...held }, 'main')).toMatchObject({ field })
})

const EQUIPPED: JobSpec = {
  ...JOB,
  devices: { kind: 'gpu:h100', perNode: 2 },
  memory_bytes: 2 ** 31,
  constraint: 'rack1',
  partition: 'gpus',
}
const HELD_EQUIPPED = { ...HELD, partition: 'gpus', tres_per_node: 'gres:gpu:h100:2', memory_per_node: 2048, features: 'rack1' }

test('accelerators, memory and features are asked for by the keys of the API and compared; switches have none', () => {
  const fleet = [
    { ...node('n2', 8), devices: [{ kind: 'gpu:h100', total: 4, free: 1 }] },
    { ...node('n3', 8), devices: [{ kind: 'gpu:h100', total: 4, free: 2 }] },
    { ...node('n4', 8), devices: [{ kind: 'gpu:a100', total: 4, free: 4 }] },
  ]
  expect(submissionOf(EQUIPPED, fleet, { environment: {}, partition: 'main' }).job).toMatchObject({
    gres: 'gpu:h100:2',
    memory_per_node: 2048,
    constraints: 'rack1',
    partition: 'gpus',
    nodelist: 'n3,n2',
  })
  expect(mismatchOf(EQUIPPED, HELD_EQUIPPED, 'main')).toBeUndefined()
  expect(switchesRefusal(EQUIPPED)).toBeUndefined()
  expect(switchesRefusal({ ...EQUIPPED, switches: { most: 1, wait_s: 60 } })).toMatchObject({ answer: 'refused', field: 'switches' })
})

test.each([
  ['devices', { tres_per_node: '' }],
  ['memory_bytes', { memory_per_node: null }],
  ['constraint', { features: '' }],
  ['partition', { partition: 'main' }],
])('another %s than asked for is named: %j', (field, held) => {
  expect(mismatchOf(EQUIPPED, { ...HELD_EQUIPPED, ...held }, 'main')).toMatchObject({ field })
})
