import type { Executor } from '@ironlaw/executors'
import { deploymentCounts, deploymentStream, eventsOf, snapshotOf } from '@ironlaw/store'
import { describe, expect, test } from 'vitest'
import { type DeployBed, deployBed, REVISION } from '../../test/deploy-bed.ts'
import type { Behaviour } from '../../test/simulated-gateway.ts'
import { orderRollout, removeDeployment, revise } from './make-deployment.ts'

const TIMEOUT_MS = 120_000
let bed: DeployBed

async function startServing(spec = {}): Promise<void> {
  bed = await deployBed()
  await bed.deploy(spec)
  await bed.pass(4)
}

const reviseChat = (): Promise<void> =>
  revise(bed.database, REVISION, { name: 'chat', actor: 'ada', at: bed.now(), rule: bed.ports.rollout })

type Models = Readonly<Record<string, { readonly targets: readonly { readonly pool: string }[] }>>

const pools = async (): Promise<Models> => {
  const { body } = await snapshotOf(bed.database)
  return JSON.parse(JSON.stringify(body['models']))
}

describe('the life of a deployment', () => {
  test('starts its replicas, updates gateways, and is gone when the executor confirms', { timeout: TIMEOUT_MS }, async () => {
    await startServing()
    expect(await bed.deployment()).toMatchObject({ state: 'serving', why: '' })
    expect(await bed.brief()).toEqual(['serving 1', 'serving 1'])
    expect(await pools()).toMatchObject({ chat: { targets: [{ pool: 'chat@1', weight: 1 }] } })
    await removeDeployment(bed.database, { name: 'chat', actor: 'ada', at: bed.now() })
    await bed.pass(5)
    expect(await bed.deployment()).toMatchObject({ state: 'removed' })
    expect(await bed.living()).toEqual([])
    const jobs = await bed.fleet.executor.sightings((await bed.kinds()).length > 0 ? [`${(await bed.deployment()).id}.1`] : [])
    expect(jobs.answer === 'seen' && [...jobs.jobs.values()]).toMatchObject([{ state: 'ended', how: 'cancelled' }])
    expect(await pools()).toEqual({})
  })

  test('replaces a replica that died, and one that does not answer', { timeout: TIMEOUT_MS }, async () => {
    await startServing()
    const [first, second] = await bed.living()
    await bed.fleet.executor.cancel(first!.id)
    bed.hung.add(second!.id)
    await bed.pass(30)
    const now = await bed.living()
    expect(now.filter(({ state }) => state === 'serving')).toHaveLength(2)
    expect(now.map(({ id }) => id)).not.toContain(first!.id)
    expect(now.map(({ id }) => id)).not.toContain(second!.id)
  })

  test('an executor that cannot be reached changes nothing that serves', { timeout: TIMEOUT_MS }, async () => {
    await startServing()
    const before = await bed.living()
    bed.fleet.cutOff('cable')
    await bed.pass(60, 20)
    expect(await bed.living()).toEqual(before)
    bed.fleet.cutOff(undefined)
    await bed.pass(4, 20)
    expect(await bed.living()).toEqual(before)
  })

  test('a replica that never becomes ready is given up, ever more slowly', { timeout: TIMEOUT_MS }, async () => {
    bed = await deployBed()
    bed.behaviour.set(1, { never: true })
    await bed.deploy({ replicas: 1, limits: { start_s: 3 } })
    await bed.pass(60)
    const kinds = await bed.kinds()
    const tries = kinds.filter((kind) => kind === 'replica-created').length
    expect(tries).toBeGreaterThan(2)
    expect(tries).toBeLessThan(8)
    expect(await bed.deployment()).toMatchObject({
      state: 'starting',
      why: '0 of 1 replicas serve; the last that ended: not ready 4 s after its start',
    })
  })

  test('reports what the executor refuses', { timeout: TIMEOUT_MS }, async () => {
    bed = await deployBed({
      wrap: (executor) => ({ ...executor, submit: async () => ({ answer: 'refused', field: 'nodes', reason: 'no' }) }),
    })
    await bed.deploy()
    await bed.pass(1)
    expect(await bed.kinds()).toContain('replica-gone')
    expect(await bed.living()).toEqual([])
  })
})

describe('a new revision', () => {
  test('as good as the old takes over, and there are never fewer than wanted', { timeout: TIMEOUT_MS }, async () => {
    await startServing()
    await reviseChat()
    await bed.pass(2, 100)
    expect(await bed.brief()).toEqual(['serving 1', 'serving 1', 'serving 2'])
    expect(await deploymentCounts(bed.database)).toEqual([{ name: 'chat', wanted: 2, replicas: new Map([['serving', 3]]) }])
    for (let at = 0; at < 400 && (await bed.deployment()).stable === 1; at += 10) await bed.pass(10, 100)
    await bed.pass(10, 100)
    expect(await bed.deployment()).toMatchObject({ stable: 2, rollout: { state: 'promoted' } })
    expect((await bed.brief()).toSorted()).toEqual(['serving 2', 'serving 2', 'warm 1', 'warm 1'])
    expect((await bed.kinds()).filter((kind) => kind.startsWith('rollout-'))).toEqual(['rollout-advanced', 'rollout-promoted'])
  })

  for (const [how, behaviour, within_s, why] of [
    ['slower', { ttft_s: 0.5 }, 30, /time to first token x/],
    ['failing', { failing: true }, 10, /errors \+/],
    ['wrong', { wrong: true }, 10, /wrong answers to known prompts/],
    ['never ready', { never: true }, 60, /3 of its replicas ended before they served/],
  ] as const satisfies readonly (readonly [string, Behaviour, number, RegExp])[])
    test(`that is ${how} is rolled back automatically`, { timeout: TIMEOUT_MS }, async () => {
      await startServing({ probes: [{ prompt: 'two and two is', expect: 'four' }], limits: { start_s: 3 } })
      bed.behaviour.set(2, behaviour)
      await reviseChat()
      await bed.pass(within_s, 100)
      const { rollout, stable } = await bed.deployment()
      expect([rollout?.state, stable]).toEqual(['rolled-back', 1])
      expect(rollout?.why).toMatch(why)
      await bed.pass(5, 100)
      expect(await bed.brief()).toEqual(['serving 1', 'serving 1'])
      expect(await pools()).toMatchObject({ chat: { targets: [{ pool: 'chat@1', weight: 1 }] } })
    })

  describe('that answers copies first', () => {
    const rollout = { shadow_s: 5, margins: { outputs: 0.2 } }
    const events = async (kind: string) => {
      const all = await eventsOf(bed.database, deploymentStream((await bed.deployment()).id), { after: 0, limit: 1000 })
      return all.filter((event) => event.kind === kind).map(({ body }) => body)
    }

    test('and answers differently is rolled back before a client sees it', { timeout: TIMEOUT_MS }, async () => {
      await startServing({ rollout })
      bed.behaviour.set(2, { wrong: true })
      await reviseChat()
      await bed.pass(7, 100)
      expect((await bed.deployment()).rollout).toMatchObject({ state: 'rolled-back', why: expect.stringMatching(/differing answers/) })
      expect(await events('rollout-rolled-back')).toMatchObject([{ outputs: { same: 0 } }])
      expect(await bed.kinds()).not.toContain('rollout-advanced')
    })

    test('is not blamed for the one before it', { timeout: TIMEOUT_MS }, async () => {
      await startServing({ rollout })
      bed.behaviour.set(2, { wrong: true })
      await reviseChat()
      while ((await bed.deployment()).rollout?.state === 'shadow') await bed.pass(0.5, 100)
      await reviseChat()
      await bed.pass(1, 100)
      expect((await bed.deployment()).rollout).toMatchObject({ revision: 3, state: 'shadow' })
    })

    test('and says the same goes on to clients', { timeout: TIMEOUT_MS }, async () => {
      await startServing({ rollout })
      await reviseChat()
      await bed.pass(2, 100)
      expect(await pools()).toMatchObject({ chat: { shadow: { pool: 'chat@2', of: 'chat@1-control' } } })
      expect((await pools())['chat']?.targets.map(({ pool }) => pool)).not.toContain('chat@2')
      await bed.pass(8, 100)
      expect(await bed.deployment()).toMatchObject({ rollout: { state: 'canary', stage: 0 } })
      expect(await events('rollout-advanced')).toMatchObject([{ why: 'nothing worse among the copies', outputs: { same: 1 } }])
    })
  })

  test('whose engine refuses its model by that name never gets a request', { timeout: TIMEOUT_MS }, async () => {
    await startServing()
    bed.behaviour.set(2, { unfit: 'its engine serves "tiny-llama", and refuses requests for "tiny"' })
    await reviseChat()
    await bed.pass(10, 20)
    expect(await bed.deployment()).toMatchObject({ stable: 1, rollout: { state: 'rolled-back', why: expect.stringContaining('refuses') } })
    expect(await bed.kinds()).not.toContain('rollout-advanced')
    expect(await bed.brief()).toEqual(['serving 1', 'serving 1'])
  })

  test('that gives empty answers is rolled back', { timeout: TIMEOUT_MS }, async () => {
    await startServing()
    bed.behaviour.set(2, { empty: true })
    await reviseChat()
    await bed.pass(30, 20)
    expect(await bed.deployment()).toMatchObject({ stable: 1, rollout: { state: 'rolled-back', why: expect.stringContaining('errors') } })
  })

  test('is promoted or rolled back on request, also while the reconciler holds the lease', { timeout: TIMEOUT_MS }, async () => {
    await startServing()
    await reviseChat()
    await bed.pass(3)
    await bed.database
      .updateTable('deployments')
      .set({ until_at: bed.now() + 30, next_look_at: bed.now() + 30 })
      .execute()
    await orderRollout(bed.database, { do: 'promote' }, { name: 'chat', actor: 'ada', at: bed.now() })
    await bed.pass(5)
    expect(await bed.deployment()).toMatchObject({ stable: 2, rollout: { state: 'promoted', why: 'on request' } })
    await expect(orderRollout(bed.database, { do: 'rollback' }, { name: 'chat', actor: 'ada', at: bed.now() })).rejects.toThrow(
      'no rollout in progress',
    )
  })
})

test('more replicas when more comes, fewer when it is over', { timeout: TIMEOUT_MS }, async () => {
  await startServing({ replicas: 1, scaling: { min: 1, max: 4, tokens_per_s: 1000, cold_start_s: 5, down_after_s: 20 } })
  const { reconcileDeployments } = await import('./reconcile-deployments.ts')
  let now = bed.now()
  const ports = { ...bed.ports, now: () => now }
  const reportArrivals = async (arrived: number): Promise<void> => {
    const body = { boot: 'b', version: 1, leaving: false, replicas: [], pools: [{ name: 'chat@1', arrived, queued: 0 }] }
    await bed.database
      .updateTable('gateways')
      .set({ seen_at: now, body: JSON.stringify(body) })
      .execute()
    await reconcileDeployments(ports)
  }
  for (let second = 0; second < 40; second += 1, now += 1) await reportArrivals(second * 7)
  expect((await bed.deployment()).wanted).toBe(4)
  for (let look = 0; look < 60; look += 1, now += 5) await reportArrivals(40 * 7)
  expect((await bed.deployment()).wanted).toBe(1)
})

describe('killed between any two effects', () => {
  const crashingExecutor = (executor: Executor, { method, when }: { method: 'submit' | 'cancel'; when: 'before' | 'after' }): Executor => {
    let left = 2
    const inner = executor[method] as (input: never) => Promise<never>
    return {
      ...executor,
      [method]: async (input: never) => {
        if (left > 0 && when === 'before') {
          left -= 1
          throw new Error('killed')
        }
        const answer = await inner(input)
        if (left > 0) {
          left -= 1
          throw new Error('killed')
        }
        return answer
      },
    }
  }
  for (const method of ['submit', 'cancel'] as const)
    for (const when of ['before', 'after'] as const)
      test(`${when} ${method}: no job too many, none too few`, { timeout: TIMEOUT_MS }, async () => {
        bed = await deployBed({ wrap: (executor) => crashingExecutor(executor, { method, when }) })
        await bed.deploy()
        await bed.pass(8)
        expect(await bed.brief()).toEqual(['serving 1', 'serving 1'])
        const { id } = await bed.deployment()
        await removeDeployment(bed.database, { name: 'chat', actor: 'ada', at: bed.now() })
        await bed.pass(8)
        expect(await bed.deployment()).toMatchObject({ state: 'removed', replicas_made: 2 })
        const jobs = await bed.fleet.executor.sightings([1, 2, 3].map((number) => `${id}.${number}`))
        expect(jobs.answer === 'seen' && [...jobs.jobs.values()].map(({ state }) => state)).toEqual(['ended', 'ended', 'absent'])
      })
})

describe('a job whose replica the database lost', () => {
  /** As a standby that takes over without the last commits, after the first job was submitted. */
  const loseLastCommits = async (): Promise<void> => {
    let isLost = false
    bed = await deployBed({
      wrap: (executor) => ({
        ...executor,
        submit: async (job) => {
          const answer = await executor.submit(job)
          if (isLost) return answer
          isLost = true
          await bed.database.deleteFrom('replicas').execute()
          await bed.database.updateTable('deployments').set({ replicas_made: 0 }).execute()
          return answer
        },
      }),
    })
    await bed.deploy({ replicas: 1 })
  }
  const jobs = () => [...bed.fleet.jobs()].map(([key, { state }]) => `${key.split('.').at(-1)} ${state}`)

  test('is ended, and its number is not given out again', { timeout: TIMEOUT_MS }, async () => {
    await loseLastCommits()
    await bed.pass(6)
    expect(await bed.living()).toMatchObject([{ id: `${(await bed.deployment()).id}.2`, state: 'serving' }])
    expect(jobs()).toEqual(['1 ended', '2 running'])
  })

  test('keeps its deployment from being removed while the executor cannot be asked', { timeout: TIMEOUT_MS }, async () => {
    await loseLastCommits()
    await bed.pass(0.5)
    bed.fleet.cutOff('cable')
    await removeDeployment(bed.database, { name: 'chat', actor: 'ada', at: bed.now() })
    await bed.pass(3)
    expect(await bed.deployment()).toMatchObject({ state: 'removing', why: 'the executor cannot be asked whether jobs are left' })
    bed.fleet.cutOff(undefined)
    await bed.pass(4)
    expect(await bed.deployment()).toMatchObject({ state: 'removed' })
    expect(jobs()).toEqual(['1 ended'])
  })
})
