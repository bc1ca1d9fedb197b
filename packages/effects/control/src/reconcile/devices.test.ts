// Accelerators of runs, over a real database and a simulated fleet that counts them.

import { allocationsOf } from '@ironlaw/store'
import { expect, test } from 'vitest'
import { type RunBed, runBed } from '../../test/run-bed.ts'

const BED_TIMEOUT_MS = 60_000
const TWO = { perNode: 2, kinds: ['h100-sxm', 'h100'] }

let bed: RunBed

const why = async (id: string): Promise<string | null> => (await bed.run(id)).wait_reason

test(
  'runs share nodes by their accelerators and never an accelerator; what waits says which are taken, what can never start says why',
  async () => {
    bed = await runBed({ nodes: ['n1', 'n2'], devices: { kind: 'gpu:h100', perNode: 4 } })
    for (const id of ['first', 'second', 'third']) {
      await bed.newRun(id, { devices: TWO })
      await bed.pass(2)
    }
    expect(await Promise.all(['first', 'second', 'third'].map((id) => bed.placed(id)))).toEqual([['n1', 'n2'], ['n1', 'n2'], []])
    expect(await why('third')).toBe(
      'needs 2 nodes with 1 free slots and 2 free gpu:h100; 0 have them: needs 2 nodes with 2 free gpu:h100 each, 0 have them now (n1 0 of 4 free, n2 0 of 4 free); it starts when other jobs give theirs back; "ironlaw top" shows them, number 1 in the queue',
    )
    expect((await allocationsOf(bed.database, ['first'])).get('first')).toMatchObject([{ number: 1, deviceKind: 'gpu:h100' }])
    await bed.newRun('eight', { devices: { perNode: 8, kinds: ['h100'] } })
    await bed.newRun('other', { devices: { perNode: 1, kinds: ['b200'] } })
    await bed.pass(2)
    expect([await bed.state('eight'), await why('eight')]).toEqual([
      'queued',
      'needs 8 gpu:h100 on each node, and no node has more than 4; plan for at most 4 per node',
    ])
    expect(await why('other')).toMatch(/^needs 1 b200 on each node; nodes offer 4 gpu:h100: name one of these/)
    bed.fleet.exit('first.alloc-1', 0)
    await bed.pass(3)
    expect(await bed.placed('third')).toEqual(['n1', 'n2'])
  },
  BED_TIMEOUT_MS,
)

test(
  'what the site says of a name is requested with it, and a run by capability gets what is capable',
  async () => {
    const jobs: unknown[] = []
    bed = await runBed({
      nodes: ['n1', 'n2'],
      devices: { kind: 'gpu:h100', perNode: 4 },
      accelerators: [
        { name: 'h100-sxm', kind: 'gpu:h100', constraint: 'nvlink|nvl', partition: 'gpus', memory_bytes: 80e9, linkDomain: 8 },
      ],
      wrap: (executor) => ({ ...executor, submit: (job) => (jobs.push(job), executor.submit(job)) }),
    })
    await bed.newRun('named', {
      devices: { perNode: 1, kinds: ['h100-sxm'] },
      constraint: 'rack1',
      memory_bytes: 1e9,
      cpusPerProcess: 2,
      switches: 1,
    })
    await bed.newRun('capable', { devices: { perNode: 1, kinds: ['b200'], orAtLeast: { memory_bytes: 64e9, linkDomain: 8 } } })
    await bed.newRun('incapable', { devices: { perNode: 1, kinds: [], orAtLeast: { memory_bytes: 100e9 } } })
    await bed.pass(2)
    expect(jobs).toMatchObject([
      { key: 'capable.alloc-1', devices: { kind: 'gpu:h100', perNode: 1 }, constraint: 'nvlink|nvl', partition: 'gpus' },
      {
        key: 'named.alloc-1',
        devices: { kind: 'gpu:h100', perNode: 1 },
        constraint: '(rack1)&(nvlink|nvl)',
        memory_bytes: 1e9,
        cpusPerProcess: 2,
        switches: { most: 1 },
        env: { IRONLAW_DEVICES: '1' },
      },
    ])
    expect([await bed.state('incapable'), await why('incapable')]).toEqual(['queued', expect.stringMatching(/nodes offer 4 gpu:h100/)])
  },
  BED_TIMEOUT_MS,
)
