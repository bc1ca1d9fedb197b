// Short words for the conformance suite: make a job, submit it, wait until it is seen in some state.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { JobSighting } from '../executor.ts'
import type { JobSpec } from '../job-spec.ts'
import type { Behaviour, Rig } from './rig.ts'

const PATIENCE_S = 45

/** Started before the first test and looked at after the others: the one slow thing. */
export const OVERRUN = 'overrun'

export class Bench {
  private folder = ''
  private started: Rig | undefined
  private jobs = 0

  get rig(): Rig {
    return this.started ?? expect.fail('the rig did not start')
  }

  async start(start: () => Promise<Rig>): Promise<void> {
    this.folder = mkdtempSync(join(tmpdir(), 'executor-'))
    this.started = await start()
    await this.submitJob(this.job({ does: 'run', for_s: 300 }, { key: OVERRUN, timeLimit_s: 1 }))
    await this.waitForRunning(OVERRUN)
    await this.rig.hasten(OVERRUN)
  }

  async stop(): Promise<void> {
    rmSync(this.folder, { recursive: true })
    await this.started?.stop()
  }

  job(behaviour: Behaviour, change: Partial<JobSpec> = {}): JobSpec {
    const key = change.key ?? `job-${(this.jobs += 1)}`
    const where = { directory: this.folder, logDirectory: join(this.folder, `${key} logs`) }
    return { key, nodes: 1, processesPerNode: 1, exclude: [], argv: this.rig.argv(behaviour), env: {}, ...where, ...change }
  }

  async submitJob(spec: JobSpec): Promise<string> {
    expect(await this.rig.executor.submit(spec)).toMatchObject({ answer: 'submitted' })
    return spec.key
  }

  async sightingOf(key: string): Promise<JobSighting> {
    const answer = await this.rig.executor.sightings([key])
    return (answer.answer === 'seen' ? answer.jobs.get(key) : undefined) ?? expect.fail(`no sighting of ${key}: ${JSON.stringify(answer)}`)
  }

  async waitForState(key: string, state: JobSighting['state'], patience_s = PATIENCE_S): Promise<JobSighting> {
    for (let waited_s = 0; ; waited_s += 0.1) {
      const sighting = await this.sightingOf(key)
      if (sighting.state === state) return sighting
      if (waited_s > patience_s) return expect.fail(`${key} stayed ${JSON.stringify(sighting)} for ${patience_s} s`)
      await this.rig.pass(0.1)
    }
  }

  waitForEnd(key: string, patience_s?: number): Promise<JobSighting> {
    return this.waitForState(key, 'ended', patience_s)
  }

  waitForRunning(key: string): Promise<JobSighting> {
    return this.waitForState(key, 'running')
  }

  async nodesOf(key: string): Promise<readonly string[]> {
    const sighting = await this.waitForRunning(key)
    return sighting.state === 'running' ? sighting.nodes : []
  }

  async freeSlots(): Promise<number> {
    const answer = await this.rig.executor.capacity()
    return answer.answer === 'capacity' ? answer.nodes.reduce((sum, { free }) => sum + free, 0) : expect.fail('unreachable')
  }

  async cancelJobs(...keys: readonly string[]): Promise<void> {
    for (const key of keys) expect(await this.rig.executor.cancel(key)).toEqual({ answer: 'done' })
    for (const key of keys) await this.waitForEnd(key)
  }
}
