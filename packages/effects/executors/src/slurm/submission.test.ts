import { expect, test } from 'vitest'
import type { JobSpec } from '../job-spec.ts'
import { batchScript, mismatchOf, sbatchArguments } from './submission.ts'

const JOB: JobSpec = {
  key: 'llama-3',
  nodes: 2,
  processesPerNode: 4,
  cpusPerProcess: 2,
  exclude: ['n3', 'n1'],
  timeLimit_s: 90_061,
  argv: ['python3', '-c', `print('a b')`],
  env: { PATH: '/opt/bin:/bin' },
  directory: '/runs/a b',
  logDirectory: '/runs/a b/logs',
}

// As printed by Slurm 22.05.8 for a job that waits, shortened.
const HELD = `JobId=8 JobName=il-llama-3 UserId=root(0) JobState=PENDING Reason=Resources Dependency=(null) Requeue=0 Restarts=0 ExitCode=0:0 \
TimeLimit=1-01:02:00 Partition=main ReqNodeList=(null) ExcNodeList=n[1,3] NodeList= NumNodes=2-2 NumCPUs=16 NumTasks=2 CPUs/Task=8 \
Command=(null) WorkDir=/runs/a b Comment=llama-3  StdErr=/runs/a b/logs/batch.log Power=`

test('what Slurm holds as asked passes', () => {
  expect(mismatchOf(JOB, HELD, 'main')).toBeUndefined()
  expect(mismatchOf(JOB, HELD.replace('NumNodes=2-2', 'NumNodes=2'), undefined)).toBeUndefined()
  const anywhere = HELD.replace('ExcNodeList=n[1,3]', 'ExcNodeList=(null)').replace('TimeLimit=1-01:02:00', 'TimeLimit=UNLIMITED')
  const { timeLimit_s: _, ...unlimited } = JOB
  expect(mismatchOf({ ...unlimited, exclude: [] }, anywhere, undefined)).toBeUndefined()
})

test('a job of a user is charged to its account, and is that of no other user', () => {
  const owned = { ...JOB, user: { name: 'search', account: 'Search', qos: 'high' } }
  expect(sbatchArguments(owned, 'main')).toEqual(expect.arrayContaining(['--account=Search', '--qos=high']))
  const held = HELD.replace('UserId=root(0)', 'UserId=search(1001) GroupId=search(1001) Account=search')
  expect(mismatchOf(owned, held, 'main')).toBeUndefined()
  expect(mismatchOf(owned, held.replace('UserId=search', 'UserId=ads'), 'main')).toMatchObject({ field: 'user' })
  expect(mismatchOf(owned, held.replace('Account=search', 'Account=ads'), 'main')).toMatchObject({ field: 'account' })
})

// The first rows are what the REST API v0.0.38 was seen to do with a request that it accepted.
test.each([
  ['nodes', 'NumNodes=2-2', 'NumNodes=1'],
  ['requeue', 'Requeue=0', 'Requeue=1'],
  ['exclude', 'ExcNodeList=n[1,3]', 'ExcNodeList=(null)'],
  ['nodes', 'NumNodes=2-2', 'NumNodes=1-2'],
  ['nodes', 'NumTasks=2', 'NumTasks=16'],
  ['processesPerNode', 'CPUs/Task=8', 'CPUs/Task=1'],
  ['timeLimit_s', 'TimeLimit=1-01:02:00', 'TimeLimit=01:00:00'],
  ['partition', 'Partition=main', 'Partition=debug'],
  ['directory', 'WorkDir=/runs/a b', 'WorkDir=/root'],
  ['key', 'Comment=llama-3', 'Comment=llama-2'],
  ['key', 'JobName=il-llama-3', 'JobName=il-x'],
  ['key', 'Comment=llama-3 ', ''],
])('a different %s is named: %s became %s', (field, asked, held) => {
  expect(mismatchOf(JOB, HELD.replace(asked, held), 'main')).toMatchObject({ field })
})

test('a script that gives way when restarted, and words that survive the shell', () => {
  expect(batchScript(JOB)).toBe(`#!/bin/sh
[ "\${SLURM_RESTART_COUNT:-0}" -gt 0 ] && exit 0
exec srun --kill-on-bad-exit=1 --mpi=none --export=ALL --input=none --open-mode=append --ntasks-per-node=1 \\
  --cpus-per-task=8 --output='/runs/a b/logs/node-%n.log' -- 'env' 'PATH=/opt/bin:/bin' 'python3' '-c' 'print('\\''a b'\\'')'
`)
})

test('the environment stands in the script, quoted, before anything is started', () => {
  const odd = { ...JOB, env: { ...JOB.env, TOKEN: `a'b$(id)`, LD_PRELOAD: '/x.so' } }
  const lines = batchScript(odd).split('\n')
  expect(lines.slice(2, 4)).toEqual([`export TOKEN='a'\\''b$(id)'`, `export LD_PRELOAD='/x.so'`])
  expect(lines[4]).toMatch(/^exec srun /)
  expect(sbatchArguments(odd, 'main').join(' ')).not.toMatch(/x\.so|a'b/)
})

test('limits and exclusions are said only where asked for', () => {
  const { timeLimit_s: _, ...unlimited } = JOB
  expect(sbatchArguments(JOB, 'main')).toEqual(
    expect.arrayContaining(['--time=1502', '--exclude=n3,n1', '--partition=main', '--no-requeue']),
  )
  expect(sbatchArguments({ ...unlimited, exclude: [] }, undefined).filter((word) => /^--(?:time|exclude|partition)/.test(word))).toEqual([])
})

const EQUIPPED: JobSpec = {
  ...JOB,
  devices: { kind: 'gpu:h100', perNode: 2 },
  memory_bytes: 2 ** 31,
  constraint: 'rack1&nvlink',
  switches: { most: 1, wait_s: 90 },
  partition: 'gpus',
}
const HELD_EQUIPPED = `${HELD.replace('Partition=main', 'Partition=gpus').replace(' Command=', ' MinMemoryNode=2G Features=rack1&nvlink Command=')} Switches=1@00:02:00 TresPerNode=gres:gpu:h100:2`

test('accelerators, memory, features and switches are asked for and compared', () => {
  expect(sbatchArguments(EQUIPPED, 'main')).toEqual(
    expect.arrayContaining(['--gres=gpu:h100:2', '--mem=2048M', '--constraint=rack1&nvlink', '--switches=1@2', '--partition=gpus']),
  )
  expect(sbatchArguments(EQUIPPED, 'main')).not.toContain('--partition=main')
  expect(sbatchArguments(JOB, 'main').filter((word) => /^--(?:gres|mem|constraint|switches)/.test(word))).toEqual([])
  expect(mismatchOf(EQUIPPED, HELD_EQUIPPED, 'main')).toBeUndefined()
  expect(mismatchOf(EQUIPPED, HELD_EQUIPPED.replace('gres:gpu', 'gres/gpu').replace('2G', '2048M'), 'main')).toBeUndefined()
})

test.each([
  ['devices', 'gpu:h100:2', 'gpu:h100:4'],
  ['devices', 'TresPerNode=gres:gpu:h100:2', ''],
  ['memory_bytes', 'MinMemoryNode=2G', 'MinMemoryNode=1500M'],
  ['memory_bytes', 'MinMemoryNode=2G', 'MinMemoryCPU=400M'],
  ['constraint', 'Features=rack1&nvlink', 'Features=(null)'],
  ['switches', 'Switches=1@', 'Switches=4@'],
  ['partition', 'Partition=gpus', 'Partition=main'],
])('another %s than asked for is named: %s became %s', (field, asked, held) => {
  expect(mismatchOf(EQUIPPED, HELD_EQUIPPED.replace(asked, held), 'main')).toMatchObject({ field })
})
