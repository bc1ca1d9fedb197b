import type { Revision } from '@ironlaw/contracts'
import { DEPLOYMENT_SPEC } from '@ironlaw/contracts/deployment-api'
import type { DecisionAnswer } from '@ironlaw/contracts/model-registry'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { onEachDatabase } from '../test/each-database.ts'
import { event, freshId, queuedRun } from '../test/samples.ts'
import { addEdges } from './artifact-edges.ts'
import { type Artifact, type NewArtifact, registerArtifact, removeArtifact } from './artifacts.ts'
import type { Database } from './database.ts'
import { addDecision } from './decisions.ts'
import { createDeployment, orderDeployment } from './deployments.ts'

const AUTHOR = { actor: 'ada', at: 1000 }
const idOf = (text: string): string => `art-${text.padEnd(64, '0')}`
const [DATA, MODEL, QUALITY, OTHER] = [idOf('d'), idOf('a'), idOf('e'), idOf('b')]

/** A version that a run made from a dataset, an evaluation of it, and a version without a run. */
async function registry(database: Database): Promise<string> {
  const project = freshId('project')
  const run = await queuedRun(database, { project })
  const add = (id: string, over: Partial<NewArtifact>) =>
    registerArtifact(database, { project, id, type: 'dataset', bytes: 1, files: 1, leaves: 1, facts: {}, ...over }, AUTHOR)
  await add(DATA, {})
  await addEdges(database, { run_id: run, project, artifacts: [DATA], how: 'used', at: 1 })
  await add(MODEL, { type: 'model', made_by: run })
  await add(QUALITY, { type: 'evaluation' })
  await add(OTHER, { type: 'model' })
  await database.updateTable('runs').set({ state: 'succeeded', ended_at: 2 }).where('id', '=', run).execute()
  return project
}

type DecisionRequest = {
  readonly answer: DecisionAnswer
  readonly seen: number
  readonly until_at?: number
  readonly evidence?: readonly string[]
  readonly role?: 'operator'
}

const decide = (database: Database, project: string, { evidence = [], ...wanted }: DecisionRequest, id = MODEL) =>
  addDecision(
    database,
    { project, artifact_id: id, rule: 'judgement', why: 'test', evidence: { artifacts: [...evidence], figures: [] }, ...wanted },
    AUTHOR,
  )

const remove = (database: Database, project: string, id: string, at = 1000) => removeArtifact(database, { project, id }, { ...AUTHOR, at })

const revision = (number: number, artifact: string): Revision => ({
  number,
  model: 'm',
  version: { artifact, digest: '0'.repeat(64) },
  argv: ['engine'],
  directory: '/',
  environment: {},
  processesPerReplica: 1,
  maxRunning: 8,
  createdAt: 0,
})

async function deploy(database: Database, project: string, artifact: string): Promise<string> {
  const wanted = { id: freshId('id'), name: freshId('chat'), project, team: 't', spec: DEPLOYMENT_SPEC.parse({ replicas: 1 }) }
  await createDeployment(database, { ...wanted, revision: revision(1, artifact) }, event('deployment-created'))
  return wanted.id
}

onEachDatabase(
  (opened) => {
    test('a released version, what made it and its evidence stay until it is retired', async () => {
      const { database } = opened()
      const project = await registry(database)
      await decide(database, project, { answer: 'released', seen: 0, evidence: [QUALITY] })
      const released = { version: MODEL, released: 'released' }
      expect(await remove(database, project, MODEL)).toEqual({ versions: [{ ...released, as: 'version' }] })
      expect(await remove(database, project, DATA)).toEqual({ versions: [{ ...released, as: 'input' }] })
      expect(await remove(database, project, QUALITY)).toEqual({ versions: [{ ...released, as: 'evidence' }] })
      expect(await remove(database, project, OTHER)).toHaveProperty('removed_at', 1000)
      await decide(database, project, { answer: 'retired', seen: 1 })
      for (const id of [MODEL, DATA, QUALITY]) expect(await remove(database, project, id)).toHaveProperty('removed_at', 1000)
    })

    test('a waiver keeps until it ends; evidence of a decision that is not in force is not kept', async () => {
      const { database } = opened()
      const project = await registry(database)
      await decide(database, project, { answer: 'refused', seen: 0, evidence: [QUALITY] })
      await decide(database, project, { answer: 'waived', seen: 1, until_at: 5000 })
      expect(await remove(database, project, MODEL, 4999)).toEqual({ versions: [{ version: MODEL, as: 'version', released: 'waived' }] })
      expect(await remove(database, project, QUALITY, 4999)).toHaveProperty('removed_at')
      await decide(database, project, { answer: 'waived', seen: 2, until_at: 3000 })
      expect(await remove(database, project, MODEL, 2999)).toMatchObject({ versions: [{ released: 'waived' }] })
      expect(await remove(database, project, MODEL, 3000)).toHaveProperty('removed_at')
    })

    test('what a revision of a live deployment names stays, with what made it, for as long as the deployment lives', async () => {
      const { database } = opened()
      const project = await registry(database)
      const id = await deploy(database, project, MODEL)
      const next = revision(2, OTHER)
      await orderDeployment(database, { id, at: 1 }, () => ({ answer: 0, change: { revision: next, stable: 2, events: [event('x')] } }))
      expect(await remove(database, project, MODEL)).toMatchObject({ versions: [{ version: MODEL, as: 'version', revision: 1 }] })
      expect(await remove(database, project, DATA)).toMatchObject({ versions: [{ version: MODEL, as: 'input', revision: 1 }] })
      expect(await remove(database, project, OTHER)).toMatchObject({ versions: [{ version: OTHER, as: 'version', revision: 2 }] })
      await database.updateTable('deployments').set({ state: 'removed' }).where('id', '=', id).execute()
      for (const each of [MODEL, DATA, OTHER]) expect(await remove(database, project, each)).toHaveProperty('removed_at')
      await expect(deploy(database, project, MODEL)).rejects.toMatchObject({ code: 'IL_CONFLICT' })
    })

    test('an approval after a release does not let its content go', async () => {
      const { database } = opened()
      const project = await registry(database)
      await decide(database, project, { answer: 'released', seen: 0 })
      await decide(database, project, { answer: 'approved', role: 'operator', seen: 1 })
      expect(await remove(database, project, MODEL)).toMatchObject({ versions: [{ version: MODEL, as: 'version', released: 'released' }] })
    })

    test('a version is not released on content that was removed', async () => {
      const { database } = opened()
      const project = await registry(database)
      await remove(database, project, DATA)
      expect(await decide(database, project, { answer: 'released', seen: 0 })).toEqual({ removed: DATA, as: 'input' })
      await remove(database, project, QUALITY)
      const waived = await decide(database, project, { answer: 'waived', seen: 0, until_at: 2000, evidence: [QUALITY] }, OTHER)
      expect(waived).toEqual({ removed: QUALITY, as: 'evidence' })
      expect(await decide(database, project, { answer: 'refused', seen: 0, evidence: [QUALITY] })).toMatchObject({ number: 1 })
    })
  },
  (opened) => {
    const DOING = ['release', 'retire', 'deploy', 'remove model', 'remove data', 'remove evidence', 'add data'] as const
    const doing = fc.constantFrom(...DOING)

    test('whoever releases, deploys and removes at once: what is released or served is there', { timeout: 120_000 }, async () => {
      const { database } = opened()
      const work: Record<(typeof DOING)[number], (project: string) => Promise<unknown>> = {
        release: (project) => decide(database, project, { answer: 'released', seen: 0, evidence: [QUALITY] }),
        retire: (project) => decide(database, project, { answer: 'retired', seen: 1 }),
        deploy: (project) => deploy(database, project, MODEL),
        'remove model': (project) => remove(database, project, MODEL),
        'remove data': (project) => remove(database, project, DATA),
        'remove evidence': (project) => remove(database, project, QUALITY),
        'add data': (project) =>
          registerArtifact(database, { project, id: DATA, type: 'dataset', bytes: 1, files: 1, leaves: 1, facts: {} }, AUTHOR),
      }
      const seen = { kept: 0, removed: 0 }
      await fc.assert(
        fc.asyncProperty(fc.array(doing, { minLength: 3, maxLength: 12 }), async (steps) => {
          const project = await registry(database)
          await Promise.allSettled(steps.map((step) => work[step](project)))
          const gone = await removedOf(database, project)
          const [newest] = await database
            .selectFrom('decisions')
            .selectAll()
            .where('project', '=', project)
            .orderBy('number', 'desc')
            .execute()
          const served = await database.selectFrom('deployments').select('id').where('project', '=', project).execute()
          const isReleased = newest?.answer === 'released'
          if (isReleased) expect(gone).toEqual([])
          if (served.length > 0) expect(gone).not.toContain(MODEL)
          seen.kept += isReleased || served.length > 0 ? 1 : 0
          seen.removed += gone.length
        }),
        { numRuns: 60 },
      )
      expect(Math.min(seen.kept, seen.removed)).toBeGreaterThan(5)
    })
  },
)

async function removedOf(database: Database, project: string): Promise<readonly Artifact['id'][]> {
  const rows = await database
    .selectFrom('artifacts')
    .select('id')
    .where('project', '=', project)
    .where('id', '<>', OTHER)
    .where('removed_at', 'is not', null)
    .execute()
  return rows.map(({ id }) => id)
}
