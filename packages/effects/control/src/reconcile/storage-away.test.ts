// Storage that hangs, seen through the reconciler: runs that need it wait and say so, the others are looked at as ever.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CAN_HANG, type HangingFiles, hangingFiles, makePipe } from '../../test/hanging-files.ts'
import { type RunBed, runBed } from '../../test/run-bed.ts'
import { promptLooks } from '../storage/prompt-looks.ts'
import { type SharedStorage, sharedStorage, STORAGE_LIMITS } from '../storage/shared-storage.ts'
import { runStorage } from './run-storage.ts'

const TIMEOUT_MS = 90_000
let runs = ''
const storage: SharedStorage[] = []
let hanging: HangingFiles | undefined

beforeEach(() => {
  runs = mkdtempSync(join(tmpdir(), 'ironlaw-runs-'))
})

afterEach(async () => {
  await hanging?.release()
  for (const each of storage.splice(0)) each.close()
  rmSync(runs, { recursive: true, force: true })
})

function storageHere() {
  const shared = sharedStorage(() => undefined, { ...STORAGE_LIMITS, answer_ms: 1000 })
  storage.push(shared)
  return runStorage({ runs }, shared, promptLooks())
}

/** Their jobs run. The first look at storage may come back only after its process has started. */
async function startRuns(bed: RunBed, ids: readonly string[]): Promise<void> {
  for (const id of ids) await bed.newRun(id)
  await vi.waitFor(
    async () => {
      await bed.pass(1)
      for (const id of ids) expect((await bed.attempts(id))[0]).toMatchObject({ state: 'running' })
    },
    { timeout: 30_000 },
  )
  await bed.pass(1, ids)
}

test('a job that leaves a pipe as its completion record blocks no run, not even its own', { timeout: TIMEOUT_MS }, async () => {
  const bed = await runBed({ storage: storageHere() })
  await startRuns(bed, ['a-evil', 'b-innocent'])
  mkdirSync(join(runs, 'a-evil'), { recursive: true })
  makePipe(join(runs, 'a-evil', 'completed.json'))
  bed.fleet.exit('a-evil.alloc-1', 1)
  await vi.waitFor(
    async () => {
      await bed.pass(4, ['b-innocent'])
      expect((await bed.attempts('a-evil'))[0]).toMatchObject({ state: 'ended' })
    },
    { timeout: 30_000 },
  )
  expect(await bed.state('b-innocent')).toBe('starting')
})

test.skipIf(!CAN_HANG)(
  'a run directory that hangs delays its own runs, not the rounds; they say why, and go on when it is back',
  { timeout: TIMEOUT_MS },
  async () => {
    hanging = await hangingFiles()
    const bed = await runBed({ storage: storageHere() })
    const stuck = ['a1', 'a2', 'a3', 'a4', 'a5']
    await startRuns(bed, [...stuck, 'z'])
    for (const id of stuck) symlinkSync(hanging.directory, join(runs, id))
    for (const id of stuck) bed.fleet.exit(`${id}.alloc-1`, 1)
    const at = performance.now()
    await bed.pass(1, ['z'])
    expect(performance.now() - at).toBeLessThan(5000)
    for (const id of stuck)
      expect(await bed.run(id)).toMatchObject({ state: 'recovering', wait_reason: expect.stringMatching(/^waiting for storage: /) })
    expect(await bed.kinds('a1')).toContain('run-recovering')
    await bed.tell('z', { notes: [{ kind: 'completed', at: 1, detail: { step: 9 } }] })
    await bed.pass(0.5)
    expect(await bed.state('z')).toBe('succeeded')
    expect((await bed.attempts('a1'))[0]).toMatchObject({ state: 'running' })
    await hanging.release()
    for (const id of stuck) {
      rmSync(join(runs, id))
      mkdirSync(join(runs, id))
    }
    await vi.waitFor(
      async () => {
        await bed.pass(4)
        for (const id of stuck) expect((await bed.attempts(id))[0]).toMatchObject({ state: 'ended' })
      },
      { timeout: 30_000 },
    )
  },
)
