import { DEPLOYMENT_SPEC } from '@ironlaw/contracts/deployment-api'
import type { Executor, JobSpec } from '@ironlaw/executors'
import { createDeployment, migrate } from '@ironlaw/store'
import { expect, onTestFinished, test } from 'vitest'
import { openEmptyEmbedded } from '../packages/effects/store/test/empty-embedded.ts'
import { event, queuedRun } from '../packages/effects/store/test/samples.ts'
import type { JobSecrets } from '../packages/effects/control/src/secrets/deliver.ts'
import { type JobOwnership, jobOwnership } from '../packages/effects/control/src/job-users/job-ownership.ts'
import { ownedExecutor } from '../packages/effects/control/src/job-users/owned-executor.ts'
import { ownedSecrets } from '../packages/effects/control/src/job-users/owned-secrets.ts'
import { userOfProject } from '../packages/effects/control/src/job-users/user-of-project.ts'

const unix = (name: string, uid: number) => [name, { name, uid, gid: uid, home: '/', shell: '/bin/sh' }] as const

const REVISION = {
  number: 1,
  model: 'm',
  argv: ['serve'],
  directory: '/',
  environment: {},
  processesPerReplica: 1,
  maxRunning: 8,
  createdAt: 0,
}

/** Notes what it is asked, and has taken every job. */
async function bed() {
  const database = await openEmptyEmbedded()
  onTestFinished(() => database.destroy())
  await migrate(database)
  const calls: unknown[] = []
  const inner: Executor = {
    submit: async ({ key, user }) => (calls.push(['submit', key, user]), { answer: 'submitted', reference: key, already: false }),
    sightings: async (keys, owners) => (
      calls.push(['sightings', ...keys.map((key) => owners?.get(key))]),
      { answer: 'seen', jobs: new Map() }
    ),
    cancel: async (key, owner) => (calls.push(['cancel', key, owner]), { answer: 'done' }),
    release: async (key, _, owner) => (calls.push(['release', key, owner]), { answer: 'done' }),
    capacity: async () => ({ answer: 'capacity', nodes: [] }),
    drain: async () => ({ answer: 'done' }),
    undrain: async () => ({ answer: 'done' }),
  }
  const ownership = (): JobOwnership => {
    const storage = { own: async (directory: string, { uid }: { uid: number }) => void calls.push(['own', directory, uid]) }
    const users = new Map([unix('search', 2001), unix('ads', 2002)])
    const ports = { database, storage, users, site: { runs: '/runs' }, userOfProject: userOfProject(database), now: () => 0 }
    return jobOwnership(ports)
  }
  const start = (): Executor => ownedExecutor(inner, ownership())
  let number = 0
  const applyTeams = (user: string) =>
    database
      .insertInto('teams_documents')
      .values({
        number: (number += 1),
        body: JSON.stringify({ administrators: [], teams: [{ name: 't', projects: ['p'], user, account: 'acc', members: [] }] }),
        etag: String(number),
        created_at: 0,
      })
      .execute()
  return { database, calls, ownership, start, applyTeams }
}

const job = (key: string): JobSpec => ({
  key,
  nodes: 1,
  processesPerNode: 1,
  exclude: [],
  argv: ['true'],
  env: {},
  directory: '/',
  logDirectory: '/',
})

test('a run keeps its user when the team gets another, also under a control plane that was started again', async () => {
  const { database, calls, start, applyTeams } = await bed()
  await applyTeams('search')
  const run = await queuedRun(database, { project: 'p' })
  const user = { name: 'search', account: 'acc' }
  await start().submit(job(`${run}.alloc-1`))
  await applyTeams('ads')
  const again = start()
  await again.submit(job(`${run}.alloc-2`))
  await again.sightings([`${run}.alloc-1`, `${run}.alloc-2`, 'older.alloc-1'])
  await again.cancel(`${run}.alloc-1`)
  await again.release(`${run}.alloc-2`, ['n1'])
  expect(calls).toEqual([
    ['own', `/runs/${run}`, 2001],
    ['submit', `${run}.alloc-1`, user],
    ['submit', `${run}.alloc-2`, user],
    ['sightings', 'search', 'search', undefined],
    ['cancel', `${run}.alloc-1`, 'search'],
    ['release', `${run}.alloc-2`, 'search'],
  ])
})

test('replicas belong to the team of their deployment, each with a directory of its own', async () => {
  const { database, calls, start, applyTeams } = await bed()
  await applyTeams('ads')
  const spec = DEPLOYMENT_SPEC.parse({ replicas: 1 })
  const deployment = { id: 'chat-1', name: 'chat', project: 'p', team: 't', spec, revision: REVISION }
  await createDeployment(database, deployment, event('deployment-created'))
  await start().submit(job('chat-1.1'))
  expect(calls).toEqual([
    ['own', '/runs/replicas/chat-1.1', 2002],
    ['submit', 'chat-1.1', { name: 'ads', account: 'acc' }],
  ])
})

test('secrets go to a directory that its user has already, and nowhere without one', async () => {
  const { database, calls, ownership, applyTeams } = await bed()
  const run = await queuedRun(database, { project: 'p' })
  const inner: JobSecrets = { provide: async () => void calls.push('provided'), remove: async () => true }
  const { provide } = ownedSecrets(inner, ownership())
  const delivery = { directory: `/runs/${run}`, project: 'p', references: {} }
  expect([await provide(delivery), ...calls]).toEqual([undefined])
  await applyTeams('search')
  expect([await provide(delivery), ...calls]).toEqual([undefined, ['own', `/runs/${run}`, 2001], 'provided'])
})

test('without teams, or with a user that is not in the list, nothing is submitted', async () => {
  const { database, calls, start, applyTeams } = await bed()
  const run = await queuedRun(database, { project: 'p' })
  const refused = async (): Promise<unknown> => start().submit(job(`${run}.alloc-1`))
  expect(await refused()).toMatchObject({ answer: 'refused', field: 'user', reason: expect.stringContaining('no teams document') })
  await applyTeams('root')
  expect(await refused()).toMatchObject({ answer: 'refused', field: 'user', reason: expect.stringContaining('may not run as "root"') })
  expect(calls).toEqual([])
})
