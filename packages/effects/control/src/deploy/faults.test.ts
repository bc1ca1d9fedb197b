import type { Executor } from '@ironlaw/executors'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type DeployBed, deployBed, REVISION } from '../../test/deploy-bed.ts'
import type { Behaviour } from '../../test/simulated-gateway.ts'
import { orderRollout, revise } from './make-deployment.ts'

const TIMEOUT_MS = 600_000
const REQUESTS_PER_S = 40

const BEHAVIOURS: readonly Behaviour[] = [{}, { failing: true }, { never: true }, { wrong: true }]

type Fault =
  | { readonly kind: 'die' | 'hang'; readonly pick: number }
  | { readonly kind: 'cut-off' | 'restore' | 'promote' | 'rollback' | 'back' }
  | { readonly kind: 'killed'; readonly times: number }
  | { readonly kind: 'revise'; readonly behaviour: number }

const arbitraryFault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ kind: fc.constantFrom('die' as const, 'hang' as const), pick: fc.nat(9) }),
  fc.record({ kind: fc.constantFrom('cut-off' as const, 'restore' as const, 'promote' as const, 'rollback' as const, 'back' as const) }),
  fc.record({ kind: fc.constant('killed' as const), times: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('revise' as const), behaviour: fc.nat(BEHAVIOURS.length - 1) }),
)

/** The control plane dies at its next effects, now before and now after the executor did it. */
function crashingExecutor(executor: Executor, left: { kills: number }): Executor {
  const runOrCrash = async <Answer>(act: () => Promise<Answer>): Promise<Answer> => {
    if (left.kills <= 0) return act()
    left.kills -= 1
    if (left.kills % 2 === 0) await act()
    throw new Error('killed')
  }
  return { ...executor, submit: (job) => runOrCrash(() => executor.submit(job)), cancel: (key) => runOrCrash(() => executor.cancel(key)) }
}

async function applyFault(bed: DeployBed, happened: Fault, left: { kills: number }): Promise<void> {
  const living = await bed.living()
  const ordering = { name: 'chat', actor: 'ada', at: bed.now() }
  /** What makes no sense now is refused, which is all right. */
  const ignoreRefusal = (): void => undefined
  switch (happened.kind) {
    case 'die':
    case 'hang': {
      const victim = living[happened.pick % Math.max(1, living.length)]
      if (!victim) return
      if (happened.kind === 'hang') bed.hung.add(victim.id)
      else bed.fleet.exit(victim.id, 1)
      return
    }
    case 'cut-off':
      return bed.fleet.cutOff('cable')
    case 'restore':
      return bed.fleet.cutOff(undefined)
    case 'killed':
      left.kills = happened.times
      return
    case 'promote':
    case 'rollback':
    case 'back':
      return orderRollout(bed.database, { do: happened.kind }, ordering).catch(ignoreRefusal)
    case 'revise': {
      const { newest } = await bed.deployment()
      bed.behaviour.set(newest + 1, BEHAVIOURS[happened.behaviour] ?? {})
      return revise(bed.database, REVISION, { ...ordering, rule: bed.ports.rollout }).catch(ignoreRefusal)
    }
  }
}

/** Repairs every fault and rolls back the rollout in progress. */
async function repairAll(bed: DeployBed, left: { kills: number }): Promise<void> {
  left.kills = 0
  bed.fleet.cutOff(undefined)
  bed.hung.clear()
  bed.behaviour.clear()
  await orderRollout(bed.database, { do: 'rollback' }, { name: 'chat', actor: 'ada', at: bed.now() }).catch(() => undefined)
  await bed.pass(60, REQUESTS_PER_S)
}

test('whatever happens, in the end what is wanted serves and no other job runs', { timeout: TIMEOUT_MS }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryFault, { minLength: 3, maxLength: 10 }), async (happenings) => {
      const left = { kills: 0 }
      const bed = await deployBed({ wrap: (executor) => crashingExecutor(executor, left) })
      await bed.deploy({
        probes: [{ prompt: 'two and two is', expect: 'four' }],
        limits: { start_s: 5, drain_s: 5 },
        rollout: { keep_previous_s: 8 },
      })
      for (const happened of happenings) {
        await applyFault(bed, happened, left)
        await bed.pass(4, REQUESTS_PER_S)
      }
      await repairAll(bed, left)
      const { stable, state } = await bed.deployment()
      expect([state, await bed.brief()]).toEqual(['serving', [`serving ${stable}`, `serving ${stable}`]])
      const running = [...bed.fleet.jobs()].flatMap(([key, job]) => (job.state === 'running' ? [key] : []))
      expect(running.toSorted()).toEqual((await bed.living()).map((replica) => replica.id).toSorted())
    }),
    { numRuns: 4 },
  )
})
