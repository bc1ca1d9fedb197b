// What every executor must do, as one suite that each implementation runs on a rig of its own.

import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Bench, OVERRUN } from './conformance/bench.ts'
import { testDevices } from './conformance/devices.ts'
import type { Rig } from './conformance/rig.ts'
import { testUnlistedUsers, testUsers } from './conformance/users.ts'
import { logFile } from './job-spec.ts'

/** On a machine that does other things too, a scheduler takes its time. */
const TIMEOUT_MS = 120_000

export function executorConformance(name: string, start: () => Promise<Rig>): void {
  const bench = new Bench()
  describe(`${name} executor`, { timeout: TIMEOUT_MS }, () => {
    beforeAll(() => bench.start(start), TIMEOUT_MS)
    afterAll(() => bench.stop(), TIMEOUT_MS)
    testOutcomes(bench)
    testKeys(bench)
    testPlacement(bench)
    testDevices(bench)
    testNodeLoss(bench)
    testRelease(bench)
    testCancel(bench)
    testSightings(bench)
    testUsers(bench)
    testUnlistedUsers(bench)
    testDrain(bench)
    testBreakage(bench)
  })
}

function testOutcomes(bench: Bench): void {
  test('a job runs once on each of its nodes and completes', async () => {
    const key = await bench.submitJob(bench.job({ does: 'run', for_s: 1 }, { nodes: 3 }))
    expect(new Set(await bench.nodesOf(key)).size).toBe(3)
    expect(await bench.waitForEnd(key)).toEqual({ state: 'ended', how: 'completed' })
  })

  test.each([0, 1, 75])('exit status %i', async (status) => {
    const key = await bench.submitJob(bench.job({ does: 'exit', status }))
    expect(await bench.waitForEnd(key)).toEqual(
      status === 0 ? { state: 'ended', how: 'completed' } : { state: 'ended', how: 'failed', exit: status },
    )
  })

  // On one node: of several, the first that dies has the others terminated, and Slurm shows the highest status, which may be theirs (143).
  test('death by a signal', async () => {
    const key = await bench.submitJob(bench.job({ does: 'die', signal: 9 }))
    expect(await bench.waitForEnd(key)).toEqual({ state: 'ended', how: 'failed', exit: 137 })
  })
}

function testKeys(bench: Bench): void {
  test('the same key twice is one job, also at the same time, also after its end', async () => {
    // Its fields in an order of their own: what a backend keeps may have another.
    const { argv, ...rest } = bench.job({ does: 'run', for_s: 300 }, { timeLimit_s: 3600 })
    const spec = { timeLimit_s: 3600, ...rest, argv }
    await bench.submitJob(spec)
    expect(await bench.rig.executor.submit(spec)).toMatchObject({ answer: 'submitted', already: true })
    const twin = bench.job({ does: 'run', for_s: 300 })
    await Promise.all([bench.submitJob(twin), bench.submitJob(twin)])
    await bench.waitForRunning(twin.key)
    await bench.rig.pass(0.3)
    expect([await bench.rig.count(spec.key), await bench.rig.count(twin.key)]).toEqual([1, 1])
    await bench.cancelJobs(spec.key, twin.key)
    expect(await bench.rig.executor.submit(spec)).toMatchObject({ answer: 'submitted', already: true })
    expect([await bench.rig.count(spec.key), (await bench.sightingOf(spec.key)).state]).toEqual([0, 'ended'])
  })

  test.each(['before', 'after'] as const)('a crash %s the backend took the job neither loses nor doubles it', async (when) => {
    const spec = bench.job({ does: 'run', for_s: 300 })
    await bench.rig.crash(spec, when)
    await bench.submitJob(spec)
    await bench.waitForRunning(spec.key)
    await bench.rig.pass(0.3)
    expect(await bench.rig.count(spec.key)).toBe(1)
    await bench.cancelJobs(spec.key)
  })

  test('a job is found by its key alone after its submitter crashed', async () => {
    const spec = bench.job({ does: 'run', for_s: 300 })
    await bench.rig.crash(spec, 'after')
    await bench.waitForRunning(spec.key)
    await bench.cancelJobs(spec.key)
  })
}

function testPlacement(bench: Bench): void {
  test('all its nodes or none, and what waits says why', async () => {
    const wide = { nodes: 4, processesPerNode: bench.rig.slots } as const
    const holder = await bench.submitJob(bench.job({ does: 'run', for_s: 300 }, { processesPerNode: bench.rig.slots }))
    await bench.waitForRunning(holder)
    const before = await bench.freeSlots()
    const gang = await bench.submitJob(bench.job({ does: 'run', for_s: 300 }, wide))
    const waiting = await bench.waitForState(gang, 'pending')
    expect(waiting).toMatchObject({ state: 'pending', reason: expect.stringMatching(/\w/), position: 1 })
    await bench.rig.pass(1)
    expect((await bench.sightingOf(gang)).state).toBe('pending')
    // Others may end meanwhile and free theirs.
    expect(await bench.freeSlots()).toBeGreaterThanOrEqual(before)
    await bench.cancelJobs(gang, holder)
    expect(await bench.rig.count(gang)).toBe(0)
  })

  test.each([
    ['more nodes than there are', { nodes: 99 }, 'nodes'],
    ['more slots than a node has', { processesPerNode: 999 }, 'nodes'],
    ['too many excluded', { nodes: 4, exclude: ['FIRST'] }, 'exclude'],
    ['a key that would not survive', { key: 'a b' }, 'key'],
    ['a relative directory', { directory: 'here' }, 'directory'],
    ['options of the backend by the environment', { env: { SBATCH_TIMELIMIT: '1' } }, 'env'],
    ['a name of the environment that a shell would execute', { env: { 'X=$(touch owned); Y': '1' } }, 'env'],
    ['a name of the environment that no shell can set', { env: { UID: '0' } }, 'env'],
    ['a value of the environment that no process can hold', { env: { X: 'a\0b' } }, 'env'],
  ] as const)('%s is refused by name and leaves no job', async (_, change, field) => {
    const exclude = 'exclude' in change ? bench.rig.nodes.slice(0, bench.rig.nodes.length - 3) : []
    const spec = bench.job({ does: 'run', for_s: 300 }, { ...change, exclude })
    expect(await bench.rig.executor.submit(spec)).toMatchObject({ answer: 'refused', field })
    expect(await bench.rig.count(spec.key)).toBe(0)
  })

  test('excluded nodes are not used', async () => {
    const exclude = bench.rig.nodes.slice(0, 2)
    const key = await bench.submitJob(bench.job({ does: 'run', for_s: 300 }, { nodes: bench.rig.nodes.length - 2, exclude }))
    expect((await bench.nodesOf(key)).toSorted()).toEqual(bench.rig.nodes.slice(2).toSorted())
    await bench.cancelJobs(key)
  })
}

function testNodeLoss(bench: Bench): void {
  test('a job that survives the loss of nodes lasts until its last program has ended, and reports the worst status', async () => {
    const spec = bench.job({ does: 'last', for_s: [0, 3], statuses: [7, 0] }, { nodes: 2, survivesNodeLoss: true })
    await bench.waitForRunning(await bench.submitJob(spec))
    await bench.rig.pass(1)
    expect(await bench.sightingOf(spec.key)).toMatchObject({ state: 'running' })
    expect(await bench.waitForEnd(spec.key)).toEqual({ state: 'ended', how: 'failed', exit: 7 })
  })

  test('the loss of a node leaves the others to such a job, also when the node returns', async ({ skip }) => {
    const { loseNode } = bench.rig
    if (loseNode === undefined) return skip('this backend has no node that could be lost')
    const key = await bench.submitJob(bench.job({ does: 'run', for_s: 300 }, { nodes: 3, survivesNodeLoss: true }))
    const [first = '', lost = '', last = ''] = await bench.nodesOf(key)
    const restore = await loseNode(lost)
    await bench.rig.pass(2)
    await restore()
    await bench.rig.pass(5)
    const seen = await bench.sightingOf(key)
    expect(seen.state).toBe('running')
    expect(seen.state === 'running' && [first, last].every((node) => seen.nodes.includes(node))).toBe(true)
    await bench.cancelJobs(key)
  })
}

function testRelease(bench: Bench): void {
  test('a node that is given back takes other jobs, the rest of its job goes on', async ({ skip }) => {
    const { executor, loseNode, nodes } = bench.rig
    if (loseNode === undefined) return skip('this backend has no node that could be lost')
    const spec = bench.job({ does: 'run', for_s: 300 }, { nodes: nodes.length, survivesNodeLoss: true, processesPerNode: bench.rig.slots })
    await bench.submitJob(spec)
    const held = await bench.nodesOf(spec.key)
    const [first = '', lost = '', ...others] = held
    const restore = await loseNode(lost)
    await bench.rig.pass(1)
    await restore()
    // The backend has to hear of the node first, and may be busy with the job.
    for (let waited_s = 0; (await executor.release(spec.key, [lost, 'nobody-knows-this'])).answer !== 'done'; waited_s += 1) {
      if (waited_s > 30) expect.fail(JSON.stringify(await executor.release(spec.key, [lost])))
      await bench.rig.pass(1)
    }
    const next = await bench.submitJob(bench.job({ does: 'run', for_s: 300 }))
    expect(await bench.nodesOf(next)).toEqual([lost])
    expect(await bench.sightingOf(spec.key)).toEqual({ state: 'running', nodes: [first, ...others], unresponsive: [] })
    expect(await executor.release(spec.key, [lost])).toEqual({ answer: 'done' })
    await bench.cancelJobs(spec.key, next)
    expect(await executor.release(spec.key, [first])).toEqual({ answer: 'done' })
  })
}

function testCancel(bench: Bench): void {
  test('cancelling is the same once or twice, of the ended and of the unknown', async () => {
    const key = await bench.submitJob(bench.job({ does: 'run', for_s: 300 }, { nodes: 2 }))
    await bench.waitForRunning(key)
    await bench.cancelJobs(key)
    expect(await bench.waitForEnd(key)).toEqual({ state: 'ended', how: 'cancelled' })
    const completed = await bench.submitJob(bench.job({ does: 'exit', status: 0 }))
    await bench.waitForEnd(completed)
    for (const any of [key, completed, 'nobody-knows-this']) expect(await bench.rig.executor.cancel(any)).toEqual({ answer: 'done' })
    expect(await bench.sightingOf(completed)).toEqual({ state: 'ended', how: 'completed' })
  })
}

function testSightings(bench: Bench): void {
  test('a job that was never submitted is absent', async () => {
    const answer = await bench.rig.executor.sightings(['nobody-knows-this', OVERRUN])
    expect(answer.answer === 'seen' && [...answer.jobs.keys()]).toEqual(['nobody-knows-this', OVERRUN])
    expect(await bench.sightingOf('nobody-knows-this')).toEqual({ state: 'absent' })
  })

  test('its environment reaches the job as it is', async ({ skip }) => {
    if (bench.rig.withoutLogs !== undefined) return skip(bench.rig.withoutLogs)
    const env = { ODD: `it's "odd" $HOME \`id\` \\ \n* two lines`, LD_PRELOAD: '/nowhere/evil.so', IFS: 'x', EMPTY: '' }
    const argv = ['/bin/sh', '-c', 'printf "<%s|%s|%s|%s>" "$ODD" "$LD_PRELOAD" "${EMPTY-unset}" "$#" 2>/dev/null; exec sleep 300']
    const spec = bench.job({ does: 'run', for_s: 300 }, { env, argv })
    await bench.waitForRunning(await bench.submitJob(spec))
    const printedLine = (): string | undefined =>
      existsSync(logFile(spec, 0)) ? /<.*>/s.exec(readFileSync(logFile(spec, 0), 'utf8'))?.[0] : undefined
    for (let tries = 0; tries < 100 && printedLine() === undefined; tries += 1) await bench.rig.pass(0.1)
    expect(printedLine()).toBe(`<${env.ODD}|${env.LD_PRELOAD}||0>`)
    await bench.cancelJobs(spec.key)
  })

  test('logs are there while the job runs, one for each node', async ({ skip }) => {
    if (bench.rig.withoutLogs !== undefined) return skip(bench.rig.withoutLogs)
    const spec = bench.job({ does: 'run', for_s: 300, prints: `it's "here" $HOME` }, { nodes: 2 })
    await bench.waitForRunning(await bench.submitJob(spec))
    const logOf = (index: number): string => (existsSync(logFile(spec, index)) ? readFileSync(logFile(spec, index), 'utf8').trim() : '')
    const logTexts = (): string[] => [0, 1].map(logOf)
    for (let tries = 0; tries < 100 && logTexts().includes(''); tries += 1) await bench.rig.pass(0.1)
    expect(logTexts()).toEqual([`it's "here" $HOME`, `it's "here" $HOME`])
    await bench.cancelJobs(spec.key)
  })
}

function testDrain(bench: Bench): void {
  test('a drained node keeps its job, gets no new one, and returns', async () => {
    const [, drained = ''] = bench.rig.nodes
    const others = bench.rig.nodes.filter((node) => node !== drained)
    const old = await bench.submitJob(bench.job({ does: 'run', for_s: 300 }, { exclude: others }))
    await bench.waitForRunning(old)
    for (let times = 0; times < 2; times += 1) expect(await bench.rig.executor.drain(drained, 'ECC errors')).toEqual({ answer: 'done' })
    const shown = await bench.rig.executor.capacity()
    expect(shown.answer === 'capacity' && shown.nodes.find(({ name }) => name === drained)).toMatchObject({
      state: 'drained',
      reason: 'ECC errors',
      free: 0,
    })
    const kept = await bench.submitJob(bench.job({ does: 'run', for_s: 300 }, { nodes: others.length }))
    expect(await bench.nodesOf(kept)).not.toContain(drained)
    const next = await bench.submitJob(bench.job({ does: 'run', for_s: 300 }, { exclude: others }))
    await bench.rig.pass(1)
    expect([(await bench.sightingOf(old)).state, (await bench.sightingOf(next)).state]).toEqual(['running', 'pending'])
    for (let times = 0; times < 2; times += 1) expect(await bench.rig.executor.undrain(drained)).toEqual({ answer: 'done' })
    expect(await bench.nodesOf(next)).toEqual([drained])
    await bench.cancelJobs(old, kept, next)
    expect(await bench.rig.executor.drain('nowhere', 'x')).toMatchObject({ answer: 'refused', field: 'node' })
  })
}

function testBreakage(bench: Bench): void {
  test('a job that overruns its time limit ends so', async () => {
    expect(await bench.waitForEnd(OVERRUN, 60)).toEqual({ state: 'ended', how: 'timeout' })
  })

  test('a backend that cannot be asked is unreachable, not empty, and its jobs live on', async () => {
    const spec = bench.job({ does: 'run', for_s: 300 })
    await bench.waitForRunning(await bench.submitJob(spec))
    const mend = await bench.rig.breakBackend()
    const answers = await Promise.all([
      bench.rig.executor.sightings([spec.key]),
      bench.rig.executor.submit(bench.job({ does: 'run', for_s: 300 })),
      bench.rig.executor.cancel(spec.key),
      bench.rig.executor.capacity(),
      bench.rig.executor.drain(bench.rig.nodes[0] ?? '', 'x'),
      bench.rig.executor.undrain(bench.rig.nodes[0] ?? ''),
    ])
    await mend()
    expect(answers).toEqual(answers.map(() => ({ answer: 'unreachable', reason: expect.stringMatching(/\w/) })))
    expect((await bench.sightingOf(spec.key)).state).toBe('running')
    await bench.cancelJobs(spec.key)
  })
}
