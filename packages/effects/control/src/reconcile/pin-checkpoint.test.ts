import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRun } from '@ironlaw/store'
import { afterAll, expect, test } from 'vitest'
import { emptiedDatabase } from '../../test/emptied-database.ts'
import { sharedStorage } from '../storage/shared-storage.ts'
import { pinSource } from './pin-checkpoint.ts'
import { allocationJob } from './site.ts'

const runs = mkdtempSync(join(tmpdir(), 'ironlaw-pin-'))
const storage = sharedStorage(() => undefined)
afterAll(() => {
  storage.close()
  rmSync(runs, { recursive: true, force: true })
})

const shape = { nodes: 1, processesPerNode: 1, smaller: [] }
const program = { argv: ['train.py'], directory: '/', environment: {} }

test('the checkpoint that a run begins with is pinned in the directory of its source', async () => {
  const database = await emptiedDatabase()
  const plan = { id: 'plan-1', kind: 'TrainingPlan', body: {} }
  const spec = { shape, checkpoint_every_s: 60, from: { run: 'old', step: 40 } }
  const event = { kind: 'run-created', actor: 'ada', at: 1, body: {} }
  await createRun(database, { id: 'new', name: 'new', project: 'p', plan, spec, program }, event)
  expect(await pinSource(database, { storage, site: { runs }, run: 'new' })).toBeUndefined()
  expect(JSON.parse(readFileSync(join(runs, 'old/pins/new.json'), 'utf8'))).toEqual({ step: 40 })
}, 60_000)

test('the policy of a run reaches its agents', () => {
  const allocation = { number: 1, state: 'submitting', nodes: 1, excluded: [], submittedAt: 0 } as const
  const spec = { shape: { ...shape, checkpoints: { keepLast: 3, keepEvery: 10, local: '/nvme' } }, checkpoint_every_s: 60 }
  const { env } = allocationJob({ runs, api: 'http://a', python: 'python3' }, { run: 'r', program, spec, allocation })
  expect(env).toMatchObject({ IRONLAW_KEEP_LAST: '3', IRONLAW_KEEP_EVERY: '10', IRONLAW_LOCAL_DIR: '/nvme' })
})
