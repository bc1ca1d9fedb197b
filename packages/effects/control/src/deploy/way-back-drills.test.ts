import { describe, expect, test } from 'vitest'
import { type DeployBed, deployBed, REVISION } from '../../test/deploy-bed.ts'
import { deploymentDetail } from './deployment-view.ts'
import { orderRollout, revise } from './make-deployment.ts'
import { drillProblem, recordDrill } from './way-back-drills.ts'

const TIMEOUT_MS = 120_000

const ordering = (bed: DeployBed) => ({ name: 'chat', actor: 'ada', at: bed.now() })
const returned = (at: number, revision: number, from: number) => ({ at, body: { revision, from } })

/** Revision 2 serves; then back to 1 and, four seconds later, forth. */
async function drilledBed(): Promise<DeployBed> {
  const bed = await deployBed()
  await bed.deploy({ rollout: { keep_previous_s: 60 }, limits: { drain_s: 5 } })
  await bed.pass(4)
  await revise(bed.database, { ...REVISION, argv: ['engine', '2'] }, { ...ordering(bed), rule: bed.ports.rollout })
  await bed.pass(3)
  await orderRollout(bed.database, { do: 'promote' }, ordering(bed))
  await bed.pass(6)
  await orderRollout(bed.database, { do: 'back' }, ordering(bed))
  await bed.pass(4)
  await orderRollout(bed.database, { do: 'back', to: 2 }, ordering(bed))
  await bed.pass(4)
  return bed
}

describe('a drill', () => {
  test('is an event with its limit, and the last of each tier is shown', { timeout: TIMEOUT_MS }, async () => {
    const bed = await drilledBed()
    const deployment = await bed.deployment()
    const record = (back_s: number, at: number, tier: 'warm' | 'registry' = 'warm') =>
      recordDrill(bed.database, { tier, from: 2, to: 1, back_s, forth_s: 1 }, { deployment, actor: 'ada', at })
    expect(await record(3, bed.now())).toMatchObject({ limit_s: 60, within: true, by: 'ada' })
    await record(2.5, bed.now() + 1)
    await recordDrill(bed.database, { tier: 'registry', from: 2, to: 1 }, { deployment, actor: 'bo', at: bed.now() + 2 })
    const { drills } = await deploymentDetail(bed.database, bed.ports.rollout, deployment)
    expect(drills).toEqual([
      { tier: 'registry', from: 2, to: 1, limit_s: 900, within: false, at: bed.now() + 2, by: 'bo' },
      { tier: 'warm', from: 2, to: 1, back_s: 2.5, forth_s: 1, limit_s: 60, within: true, at: bed.now() + 1, by: 'ada' },
    ])
    expect((await bed.kinds()).filter((kind) => kind === 'way-back-drilled')).toHaveLength(3)
    await expect(record(30, bed.now())).rejects.toMatchObject({ code: 'IL_CONFLICT' })
  })

  const drill = { tier: 'warm', from: 2, to: 1, back_s: 3, forth_s: 1 } as const

  test.each([
    ['both orders, with time for it', [returned(100, 1, 2), returned(103, 2, 1)], undefined],
    ['no order', [], 'no two orders'],
    ['one order', [returned(100, 1, 2)], 'no two orders'],
    ['orders the other way', [returned(100, 2, 1), returned(103, 1, 2)], 'not from revision 2 to 1'],
    ['another revision', [returned(100, 3, 2), returned(103, 2, 3)], 'not from revision 2 to 1'],
    ['orders that follow too soon', [returned(100, 1, 2), returned(100.5, 2, 1)], 'less time passed'],
  ])('%s', (_, orders, problem) => {
    const found = drillProblem(drill, orders, 110)
    if (problem === undefined) expect(found).toBeUndefined()
    else expect(found).toContain(problem)
  })

  test('a way forth that takes longer than the time since its order is refused', () => {
    expect(drillProblem({ ...drill, forth_s: 60 }, [returned(100, 1, 2), returned(103, 2, 1)], 110)).toContain('less time passed')
  })
})
