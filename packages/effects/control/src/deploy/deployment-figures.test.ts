import { type DeploymentFigures, DEPLOYMENT_FIGURES } from '@ironlaw/contracts/deployment-figures'
import { GATEWAY_CONFIG } from '@ironlaw/contracts/gateway-snapshot'
import { canaryRule, DEFAULT_ROLLOUT, judgeCanary, NO_EVIDENCE } from '@ironlaw/policies/rollout'
import { configureGateways } from '@ironlaw/store'
import { expect, test } from 'vitest'
import { type DeployBed, deployBed, REVISION } from '../../test/deploy-bed.ts'
import { deploymentFigures } from './deployment-figures.ts'
import { revise } from './make-deployment.ts'

const figuresOf = async (bed: DeployBed): Promise<DeploymentFigures> =>
  DEPLOYMENT_FIGURES.parse(await deploymentFigures(bed.database, await bed.deployment(), { rule: DEFAULT_ROLLOUT, now: bed.now() }))

test('traffic, the way of the evidence to its bound, and who may ask', { timeout: 120_000 }, async () => {
  const bed = await deployBed()
  const config = GATEWAY_CONFIG.parse({
    tenants: { search: { requests_per_minute: 600 }, other: {} },
    keys: [
      { sha256: 'a'.repeat(64), tenant: 'search', models: ['chat'] },
      { sha256: 'b'.repeat(64), tenant: 'other', models: ['draw'] },
    ],
  })
  await configureGateways(bed.database, config, { kind: 'gateways-configured', actor: 'ada', at: bed.now(), body: {} })
  await bed.deploy()
  expect((await figuresOf(bed)).windows).toEqual([])
  await bed.pass(40, 20)
  const calm = await figuresOf(bed)
  expect(calm.trail).toBeUndefined()
  expect(calm.tenants).toMatchObject([{ name: 'search', keys: 1, requests_per_minute: 600 }])
  expect(calm.windows.at(-1)?.ttft_s).toBeGreaterThan(0.08)
  expect(calm.windows.at(-1)?.ttft_s).toBeLessThan(0.12)

  bed.behaviour.set(2, { ttft_s: 0.3 })
  await revise(bed.database, REVISION, { name: 'chat', actor: 'ada', at: bed.now(), rule: bed.ports.rollout })
  await bed.pass(120, 100)
  expect((await bed.deployment()).rollout?.state).toBe('rolled-back')
  const { trail, rule, windows } = await figuresOf(bed)
  expect(trail?.revision).toBe(2)
  const way = (trail?.points ?? []).map(({ evidence }) => evidence.ttft ?? 0)
  expect(way.at(-1)).toBeGreaterThanOrEqual(rule.worse)
  for (const before of way.slice(0, -1)) expect(before).toBeLessThan(rule.worse)
  expect(windows.findLast(({ revision }) => revision === 2)?.ttft_s).toBeGreaterThan(0.2)
})

test('the bounds shown are those that the judge applies', { timeout: 60_000 }, async () => {
  const bed = await deployBed()
  await bed.deploy()
  const { rule } = await figuresOf(bed)
  const nearest = { worse: Infinity, asGood: Infinity }
  for (let bad = 0; bad < 40; bad += 1)
    for (let total = 50; total < 2000; total += 7) {
      const errors = { control: { total: 1000, bad: 5 }, canary: { total, bad } }
      const found = judgeCanary({ ...NO_EVIDENCE, errors }, canaryRule(DEFAULT_ROLLOUT, 'canary')).findings.find(
        ({ of }) => of === 'errors',
      )
      const evidence = found?.evidence ?? 0
      expect(found?.verdict).toBe(evidence >= rule.worse ? 'worse' : evidence <= rule.as_good ? 'as-good' : 'undecided')
      nearest.worse = Math.min(nearest.worse, Math.abs(evidence - rule.worse))
      nearest.asGood = Math.min(nearest.asGood, Math.abs(evidence - rule.as_good))
    }
  expect(Math.max(nearest.worse, nearest.asGood)).toBeLessThan(0.02)
})
