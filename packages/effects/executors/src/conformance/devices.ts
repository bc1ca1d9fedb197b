// What every executor must do with accelerators: no two jobs share one, and a refusal gives the numbers requested and available.

import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type JobSpec, logFile } from '../job-spec.ts'
import type { Bench } from './bench.ts'

/** How often a log is looked at, 0.1 s apart. */
const LOOKS = 100
const PRINTS_DEVICES = ['/bin/sh', '-c', 'echo "<${CUDA_VISIBLE_DEVICES-unset}>"; exec sleep 300']

export function testDevices(bench: Bench): void {
  test('two jobs share a node and never a device; a third waits until one of them has ended', async () => {
    const { kind, perNode } = bench.rig.devices
    const [node = '', ...others] = bench.rig.nodes
    const half = { devices: { kind, perNode: perNode / 2 }, exclude: others }
    const [first, second, third] = [0, 1, 2].map(() => printingJob(bench, half)) as [JobSpec, JobSpec, JobSpec]
    expect(await freeDevices(bench, node)).toBe(perNode)
    await bench.waitForRunning(await bench.submitJob(first))
    expect(await freeDevices(bench, node)).toBe(perNode / 2)
    await bench.waitForRunning(await bench.submitJob(second))
    await bench.submitJob(third)
    await bench.rig.pass(1)
    expect(await bench.sightingOf(third.key)).toMatchObject({ state: 'pending', reason: expect.stringMatching(/\w/) })
    expect(await freeDevices(bench, node)).toBe(0)
    const held = await Promise.all([first, second].map((spec) => visibleDevices(bench, spec)))
    if (bench.rig.withoutLogs === undefined) expect(held.flat().toSorted()).toEqual(['0', '1', '2', '3'])
    await bench.cancelJobs(first.key)
    await bench.waitForRunning(third.key)
    if (bench.rig.withoutLogs === undefined) expect(await visibleDevices(bench, third)).toEqual(held[0])
    await bench.cancelJobs(second.key, third.key)
  })

  test('each node of a job gives as many, and any model will do where none is named', async () => {
    const { kind, perNode } = bench.rig.devices
    const [family = ''] = kind.split(':')
    const spec = printingJob(bench, { nodes: 2, devices: { kind: family, perNode }, survivesNodeLoss: true })
    const nodes = await bench.nodesOf(await bench.submitJob(spec))
    expect(await Promise.all(nodes.map((node) => freeDevices(bench, node)))).toEqual([0, 0])
    const seen = await Promise.all([0, 1].map((index) => visibleDevices(bench, spec, index)))
    if (bench.rig.withoutLogs === undefined) expect(seen.map((devices) => devices.length)).toEqual([perNode, perNode])
    await bench.cancelJobs(spec.key)
    // A job without any does not see those of the others.
    const plain = printingJob(bench, {})
    await bench.waitForRunning(await bench.submitJob(plain))
    if (bench.rig.withoutLogs === undefined) expect(['', 'unset']).toContain((await visibleDevices(bench, plain)).join())
    await bench.cancelJobs(plain.key)
  })

  test.each([
    ['more than a node has', { kind: 'gpu:h100', perNode: 8 }, /8 gpu:h100 on a node, no node has more than 4; request at most 4/],
    ['a kind that no node has', { kind: 'gpu:a100', perNode: 1 }, /1 gpu:a100 on a node; nodes offer 4 gpu:h100/],
    ['no number', { kind: 'gpu:h100', perNode: 0 }, /whole number/],
    ['a name that is none', { kind: 'gpu:h100:2,license:9', perNode: 1 }, /a name such as/],
  ])('%s is refused with what there is, and leaves no job', async (_, devices, reason) => {
    const spec = bench.job({ does: 'run', for_s: 300 }, { devices })
    expect(await bench.rig.executor.submit(spec)).toEqual({ answer: 'refused', field: 'devices', reason: expect.stringMatching(reason) })
    expect(await bench.rig.count(spec.key)).toBe(0)
  })

  test('a drained node has no free devices', async () => {
    const [node = ''] = bench.rig.nodes
    await bench.rig.executor.drain(node, 'ECC errors')
    expect(await freeDevices(bench, node)).toBe(0)
    await bench.rig.executor.undrain(node)
    for (let looks = 0; looks < LOOKS && (await freeDevices(bench, node)) === 0; looks += 1) await bench.rig.pass(0.1)
    expect(await freeDevices(bench, node)).toBe(bench.rig.devices.perNode)
  })
}

const printingJob = (bench: Bench, change: Partial<JobSpec>): JobSpec => {
  const spec = bench.job({ does: 'run', for_s: 300 }, change)
  return bench.rig.withoutLogs === undefined ? { ...spec, argv: PRINTS_DEVICES } : spec
}

async function freeDevices(bench: Bench, node: string): Promise<number | undefined> {
  const shown = await bench.rig.executor.capacity()
  const found = shown.answer === 'capacity' ? shown.nodes.find(({ name }) => name === node) : undefined
  expect(found?.devices).toMatchObject([{ kind: bench.rig.devices.kind, total: bench.rig.devices.perNode }])
  return found?.devices?.[0]?.free
}

/** Numbers of the devices that the program on one node of the job was given. */
async function visibleDevices(bench: Bench, spec: JobSpec, index = 0): Promise<readonly string[]> {
  if (bench.rig.withoutLogs !== undefined) return []
  const file = logFile(spec, index)
  const printedDevices = (): string | undefined => (existsSync(file) ? /<(.*)>/.exec(readFileSync(file, 'utf8'))?.[1] : undefined)
  for (let looks = 0; looks < LOOKS && printedDevices() === undefined; looks += 1) await bench.rig.pass(0.1)
  return (printedDevices() ?? expect.fail(`nothing in ${file}`)).split(',')
}
