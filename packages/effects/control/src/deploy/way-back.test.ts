import { snapshotOf } from '@ironlaw/store'
import { describe, expect, test } from 'vitest'
import { type DeployBed, deployBed, REVISION } from '../../test/deploy-bed.ts'
import { deploymentViews } from './deployment-view.ts'
import { orderRollout, revise } from './make-deployment.ts'

const TIMEOUT_MS = 180_000
const KEPT_S = 60

const ordering = (bed: DeployBed) => ({ name: 'chat', actor: 'ada', at: bed.now() })
const back = (bed: DeployBed, to?: number) => orderRollout(bed.database, { do: 'back', ...(to !== undefined && { to }) }, ordering(bed))

async function targets(bed: DeployBed): Promise<readonly string[]> {
  const { body } = await snapshotOf(bed.database)
  const { models }: { models: Record<string, { targets: { pool: string }[] }> } = JSON.parse(JSON.stringify(body))
  return models['chat']?.targets.map(({ pool }) => pool) ?? []
}

/** Revision 2 serves in full. */
async function promotedBed(spec: object = {}, options: { readonly slots?: number } = {}): Promise<DeployBed> {
  const bed = await deployBed(options)
  await bed.deploy({ rollout: { keep_previous_s: KEPT_S }, limits: { drain_s: 5 }, ...spec })
  await bed.pass(4)
  await revise(bed.database, { ...REVISION, argv: ['engine', '2'] }, { ...ordering(bed), rule: bed.ports.rollout })
  await bed.pass(3)
  await orderRollout(bed.database, { do: 'promote' }, ordering(bed))
  return bed
}

const view = async (bed: DeployBed) => (await deploymentViews(bed.database, bed.ports.rollout, [await bed.deployment()]))[0]

describe('after a promotion', () => {
  test('the revision before is kept without requests for its time, and goes', { timeout: TIMEOUT_MS }, async () => {
    const bed = await promotedBed()
    await bed.pass(6)
    expect((await bed.brief()).toSorted()).toEqual(['serving 2', 'serving 2', 'warm 1', 'warm 1'])
    expect(await targets(bed)).toEqual(['chat@2'])
    expect(await view(bed)).toMatchObject({ state: 'serving', serving: 2, previous: { revision: 1, warm: 2 } })
    await bed.pass(KEPT_S + 8)
    expect(await bed.brief()).toEqual(['serving 2', 'serving 2'])
    expect((await view(bed))?.previous).toEqual({ revision: 1, warm: 0 })
  })

  test('"back" redirects requests in the next round, and can itself be undone', { timeout: TIMEOUT_MS }, async () => {
    const bed = await promotedBed()
    await bed.pass(6)
    const jobs = bed.fleet.jobs().size
    await back(bed)
    await bed.pass(0.5)
    expect(await targets(bed)).toEqual(['chat@1'])
    expect(await bed.deployment()).toMatchObject({ stable: 1, rollout: { state: 'promoted', revision: 1, stable: 2 } })
    await bed.pass(3)
    expect((await bed.brief()).toSorted()).toEqual(['serving 1', 'serving 1', 'warm 2', 'warm 2'])
    await back(bed)
    await bed.pass(0.5)
    expect(await targets(bed)).toEqual(['chat@2'])
    expect(bed.fleet.jobs().size).toBe(jobs)
  })

  test('"back" to one that is gone starts it, and requests turn when it serves', { timeout: TIMEOUT_MS }, async () => {
    const bed = await promotedBed({ rollout: { keep_previous_s: 0 } })
    await bed.pass(15)
    expect(await bed.brief()).toEqual(['serving 2', 'serving 2'])
    bed.behaviour.set(1, { never: true })
    await back(bed)
    await bed.pass(10)
    expect(await targets(bed)).toEqual(['chat@2'])
    bed.behaviour.delete(1)
    await bed.pass(15)
    expect(await targets(bed)).toEqual(['chat@1'])
    expect(await bed.brief()).toEqual(['serving 1', 'serving 1'])
  })

  test('replicas that wait for a machine get those that are kept', { timeout: TIMEOUT_MS }, async () => {
    // Four places: two of the old revision, one canary, and one of two more for the new one.
    const bed = await promotedBed({ replicas: 3 }, { slots: 1 })
    await bed.pass(10)
    expect(await targets(bed)).toContain('chat@1')
    expect(await bed.brief()).toContain('starting 2')
    await bed.pass(120)
    const states = await bed.brief()
    expect(states.filter((each) => each === 'serving 2')).toHaveLength(3)
    expect(await targets(bed)).toEqual(['chat@2'])
  })

  test('a kept replica that dies is not started again; the next trial ends the keeping', { timeout: TIMEOUT_MS }, async () => {
    const bed = await promotedBed()
    await bed.pass(6)
    const kept = (await bed.living()).find(({ state }) => state === 'warm')
    await bed.fleet.executor.cancel(kept!.id)
    await bed.pass(5)
    expect((await bed.brief()).toSorted()).toEqual(['serving 2', 'serving 2', 'warm 1'])
    await revise(bed.database, { ...REVISION, argv: ['engine', '3'] }, { ...ordering(bed), rule: bed.ports.rollout })
    await bed.pass(0.5)
    expect(await targets(bed)).not.toContain('chat@1')
    await bed.pass(10)
    expect((await bed.brief()).toSorted()).toEqual(['serving 2', 'serving 2', 'serving 3'])
    await expect(back(bed)).rejects.toThrow('revision 3 is being rolled out')
  })

  test('what makes no sense is refused', { timeout: TIMEOUT_MS }, async () => {
    const bed = await deployBed()
    await bed.deploy()
    await bed.pass(4)
    await expect(back(bed)).rejects.toThrow('no revision served right before revision 1')
    await expect(back(bed, 1)).rejects.toThrow('revision 1 serves already')
    await expect(back(bed, 7)).rejects.toThrow('has no revision 7')
  })
})
