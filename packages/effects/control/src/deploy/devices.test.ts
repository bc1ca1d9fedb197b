import { expect, test } from 'vitest'
import { deployBed } from '../../test/deploy-bed.ts'

const BED_TIMEOUT_MS = 60_000

test(
  'a replica holds its accelerators alone',
  async () => {
    const jobs: unknown[] = []
    const bed = await deployBed({
      devices: { kind: 'gpu:h100', perNode: 4 },
      request: { perNode: 4, kinds: ['h100-sxm', 'h100'] },
      wrap: (executor) => ({ ...executor, submit: (job) => (jobs.push(job.devices), executor.submit(job)) }),
    })
    await bed.deploy({ replicas: 5 })
    await bed.pass(6)
    expect(new Set(jobs.map((devices) => JSON.stringify(devices)))).toEqual(new Set(['{"kind":"gpu:h100","perNode":4}']))
    const placed = [...bed.fleet.jobs().values()].flatMap((job) => (job.state === 'running' ? job.nodes : []))
    expect(placed.toSorted()).toEqual(['n1', 'n2', 'n3', 'n4'])
    expect((await bed.living()).map(({ deviceKind }) => deviceKind)).toEqual(Array.from({ length: 5 }, () => 'gpu:h100'))
  },
  BED_TIMEOUT_MS,
)

test(
  'what no node offers is refused and says what there is',
  async () => {
    const bed = await deployBed({ devices: { kind: 'gpu:h100', perNode: 4 }, request: { perNode: 8, kinds: ['b200'] } })
    await bed.deploy({ replicas: 1 })
    await bed.pass(2)
    const details = (await bed.database.selectFrom('replicas').select('body').execute()).map(({ body }) => body.detail)
    expect(details[0]).toMatch(/needs 8 gpu:b200 on a node; nodes offer 4 gpu:h100/)
  },
  BED_TIMEOUT_MS,
)
