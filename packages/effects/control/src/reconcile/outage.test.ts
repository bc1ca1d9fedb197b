// Shared storage is away: every attempt of every run ends at once. The fleet waits; none of the runs is given up for it.

import { beforeEach, describe, expect, test } from 'vitest'
import { type RunBed, runBed, stepOf } from '../../test/run-bed.ts'
import { closeBooks } from '../ledger/bookkeeper.ts'
import { resumeRun } from '../runs/resume-run.ts'
import type { StorageAway } from '../storage/shared-storage.ts'

const TIMEOUT_MS = 240_000
let bed: RunBed
let away: StorageAway | undefined

beforeEach(async () => {
  away = undefined
  bed = await runBed({ storage: { probe: async () => away } })
}, TIMEOUT_MS)

async function startTraining(ids: readonly string[]): Promise<void> {
  for (const id of ids) await bed.newRun(id)
  await bed.pass(2, ids)
  for (const id of ids) await bed.tell(id, { steps: Array.from({ length: 5 }, (_, index) => stepOf(index + 1, bed.ports.now())) })
  await bed.pass(2, ids)
}

/** Ends the current job of each as a program does that cannot write; true while any is there to end. */
async function fail(ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    for (const [key, { state }] of bed.fleet.jobs()) if (key.startsWith(`${id}.`) && state === 'running') bed.fleet.exit(key, 74)
  }
}

async function failFor(seconds: number, ids: readonly string[]): Promise<void> {
  for (const end = bed.ports.now() + seconds; bed.ports.now() < end;) {
    await fail(ids)
    await bed.pass(1)
  }
}

describe('storage that is away for minutes', () => {
  test('three runs that fail alike are not given up, say why, and go on when it is over', { timeout: TIMEOUT_MS }, async () => {
    const ids = ['r1', 'r2', 'r3']
    await startTraining(ids)
    await failFor(100, ids)
    for (const id of ids) expect(await bed.state(id)).not.toBe('failed')
    const waits = await Promise.all(ids.map(async (id) => (await bed.run(id)).forgiven))
    expect(waits.every((forgiven) => forgiven >= 1)).toBe(true)
    expect(await bed.kinds('r1')).toContain('run-waits')
    const started = new Set<string>()
    for (let waited_s = 0; waited_s < 80 && started.size < ids.length; waited_s += 1) {
      await bed.pass(1)
      for (const id of ids) if ((await bed.state(id)) === 'starting') started.add(id)
    }
    expect([...started].toSorted()).toEqual(ids)
  })

  test('where the control plane sees that storage is away, nothing is started until it is back', { timeout: TIMEOUT_MS }, async () => {
    away = { away: 'EIO' }
    await bed.newRun('r')
    await bed.pass(20)
    expect(await bed.run('r')).toMatchObject({ state: 'queued', attempt: 0, wait_reason: 'waiting for storage: EIO' })
    away = undefined
    await bed.pass(2)
    expect(await bed.run('r')).toMatchObject({ state: 'starting', attempt: 1 })
  })
})

describe('a run that was given up', () => {
  test('is resumed from where it was, with its patience as new and its time in the books once', { timeout: TIMEOUT_MS }, async () => {
    await startTraining(['r'])
    await failFor(90, ['r'])
    expect(await bed.run('r')).toMatchObject({ state: 'failed', verdict: { cause: 'no-progress' } })
    const before = (await bed.run('r')).attempt
    const later = bed.ports.now() + 1000
    await closeBooks({ database: bed.database, now: () => later })
    expect(await runsInBooks()).toBe(1)
    await resumeRun(bed.database, { id: 'r', actor: 'ada', at: bed.ports.now() })
    await resumeRun(bed.database, { id: 'r', actor: 'ada', at: bed.ports.now() })
    expect(await runsInBooks()).toBe(0)
    expect(await bed.run('r')).toMatchObject({ state: 'recovering', ended_at: null, verdict: null, forgiven: before })
    await failFor(20, ['r'])
    expect(await bed.run('r')).toMatchObject({ state: 'recovering', attempt: before + 1 })
    await bed.pass(30)
    await bed.tell('r', { notes: [{ kind: 'completed', at: 1, detail: { step: 9 } }] })
    await bed.pass(3)
    expect(await bed.state('r')).toBe('succeeded')
    await closeBooks({ database: bed.database, now: () => bed.ports.now() + 1000 })
    expect(await runsInBooks()).toBe(1)
    const kinds = await bed.kinds('r')
    expect(kinds.filter((kind) => ['run-failed', 'run-resumed', 'run-succeeded'].includes(kind))).toEqual([
      'run-failed',
      'run-resumed',
      'run-succeeded',
    ])
    await expect(resumeRun(bed.database, { id: 'r', actor: 'ada', at: 1 })).rejects.toThrow('has succeeded')
    await expect(resumeRun(bed.database, { id: 'none', actor: 'ada', at: 1 })).rejects.toThrow('none')
  })
})

async function runsInBooks(): Promise<number> {
  const rows = await bed.database.selectFrom('ledger_days').select('runs').execute()
  return rows.reduce((sum, { runs }) => sum + runs, 0)
}
