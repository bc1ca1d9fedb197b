import { DEPLOYMENT_SPEC } from '@ironlaw/contracts/deployment-api'
import { deploymentNamed, listDeployments, replicasOf, snapshotOf } from '@ironlaw/store'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { deployBed, REVISION } from '../../test/deploy-bed.ts'
import { deploymentViews } from './deployment-view.ts'
import { makeDeployment, revise } from './make-deployment.ts'
import { reconcileDeployments } from './reconcile-deployments.ts'

test('a replica that cannot be read costs gateways that replica, and other deployments nothing', { timeout: 60_000 }, async () => {
  const bed = await deployBed()
  await bed.deploy({ replicas: 2 })
  const spec = DEPLOYMENT_SPEC.parse({ replicas: 1 })
  await makeDeployment(bed.database, { name: 'other', project: 'p', team: 't', revision: REVISION, spec }, { actor: 'ada', at: bed.now() })
  await bed.pass(4)
  const [first] = await bed.living()
  await sql`update replicas set body = body || '{"state": "of a newer release"}' where id = ${first?.id}`.execute(bed.database)
  await revise(bed.database, { ...REVISION, argv: ['2'] }, { name: 'other', actor: 'ada', at: bed.now(), rule: bed.ports.rollout })
  const round = await reconcileDeployments({ ...bed.ports, now: () => bed.now() + 2 })
  expect(round.failed).toEqual([{ what: 'deployment chat', reason: expect.stringContaining(`${first?.id} cannot be read: state`) }])
  const other = await deploymentNamed(bed.database, 'other')
  const made = (await replicasOf(bed.database, [other!.id], { goneSince_at: Infinity })).get(other!.id)
  expect(new Set(made.map(({ revision }) => revision))).toEqual(new Set([1, 2]))
  const { body } = await snapshotOf(bed.database)
  const { pools }: { pools: Record<string, { replicas: object[] }> } = JSON.parse(JSON.stringify(body))
  expect([pools['chat@1']?.replicas.length, pools['other@1']?.replicas.length]).toEqual([1, 1])
  const views = await deploymentViews(bed.database, bed.ports.rollout, await listDeployments(bed.database, 'live'))
  expect(views.map(({ name }) => name).toSorted()).toEqual(['chat', 'other'])
})
