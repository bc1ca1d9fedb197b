// The jobs of a history's fleet and the way of their reports to the API: lost, late, repeated, out of order.

import { IronlawError, jobKey } from '@ironlaw/contracts'
import type { Report } from '@ironlaw/contracts/report'
import type { Executor, JobSpec } from '@ironlaw/executors'
import type { SimulatedFleet } from '@ironlaw/executors/simulated'
import type { takeReport } from '../../packages/effects/control/src/services/take-report.ts'
import type { Plan, RunPlan } from './plan.ts'
import type { Plane } from './plane.ts'
import { RunDirectory } from './run-directory.ts'
import { SimulatedJob, TICK_S } from './simulated-job.ts'
import type { Timeline } from './timeline.ts'

type Parts = {
  readonly timeline: Timeline
  readonly fleet: SimulatedFleet
  readonly plan: Plan
  readonly runs: ReadonlyMap<string, RunPlan>
  readonly takeReport: typeof takeReport
  /** The control plane that takes reports now, if any does. */
  readonly api: () => Plane | undefined
}

export class Jobs {
  readonly directories: ReadonlyMap<string, RunDirectory>
  /** The fleet's, remembering what was submitted and drained. */
  readonly executor: Executor
  readonly drained = new Set<string>()
  /** Copies of reports still under way. */
  late = 0
  readonly #parts: Parts
  readonly specs = new Map<string, JobSpec>()
  readonly #jobs = new Map<string, SimulatedJob>()
  readonly #hung = new Set<string>()
  readonly #delivering = new Set<SimulatedJob>()
  #delivered = 0

  constructor(parts: Parts) {
    this.#parts = parts
    this.directories = new Map([...parts.runs.keys()].map((run) => [run, new RunDirectory()]))
    const { executor } = parts.fleet
    this.executor = {
      ...executor,
      submit: (spec) => {
        this.specs.set(spec.key, spec)
        return executor.submit(spec)
      },
      drain: (node, reason) => {
        this.drained.add(node)
        return executor.drain(node, reason)
      },
    }
  }

  spooled(run: string, attempt: number): readonly Report[] {
    return [...(this.#jobs.get(jobKey(run, attempt))?.spool ?? [])]
  }

  kill(node: string): void {
    this.#parts.fleet.kill(node)
    for (const job of this.#jobs.values()) job.lose(node)
  }

  hang(node: string): void {
    this.#parts.fleet.hang(node)
    this.#hung.add(node)
  }

  /** As Slurm does when a node registers again: a job whose processes there are gone is over. */
  restore(node: string): void {
    this.#parts.fleet.restore(node)
    this.#hung.delete(node)
    for (const job of this.#jobs.values()) if (job.hasLost(node)) job.end(1)
  }

  killRank(run: string | undefined): void {
    const live = [...this.#jobs.values()].findLast(({ parts, isOver }) => parts.run === run && !isOver)
    live?.killRank()
  }

  /** Those that the fleet has started since the last look. */
  start(): void {
    const { fleet, runs, timeline } = this.#parts
    for (const [key, sighting] of fleet.jobs()) {
      const spec = this.specs.get(key)
      const run = spec?.env['IRONLAW_RUN'] ?? ''
      const plan = runs.get(run)
      const directory = this.directories.get(run)
      if (sighting.state !== 'running' || this.#jobs.has(key) || !spec || !plan || !directory) continue
      timeline.tell(`${key} starts on ${sighting.nodes.join(', ')}`)
      const job = new SimulatedJob({
        run,
        attempt: Number(spec.env['IRONLAW_ATTEMPT']),
        spec,
        nodes: sighting.nodes,
        plan,
        directory,
        now: () => timeline.now,
        isHung: (node) => this.#hung.has(node),
        exit: (status) => {
          timeline.tell(`${key} exits with ${status}`)
          fleet.exit(key, status)
        },
      })
      this.#jobs.set(key, job)
      timeline.after(TICK_S, () => this.#tick(job))
    }
  }

  #tick(job: SimulatedJob): void {
    const { fleet, timeline } = this.#parts
    if (fleet.jobs().get(job.parts.spec.key)?.state !== 'running') job.isOver = true
    if (job.isOver) return
    job.tick()
    this.#deliver(job)
    if (!job.isOver) timeline.after(TICK_S, () => this.#tick(job))
  }

  #deliver(job: SimulatedJob): void {
    if (this.#delivering.has(job) || !job.hasVoice()) return
    this.#delivering.add(job)
    void this.#deliverAll(job).then(() => this.#delivering.delete(job))
  }

  /** In order, each until it was taken; the rest waits for the next tick. */
  async #deliverAll(job: SimulatedJob): Promise<void> {
    for (let report = job.spool[0]; report; report = job.spool[0]) {
      this.#delivered += 1
      const { isLost, after_s } = this.#fate(this.#delivered)
      if (after_s !== undefined) this.#repeat(job, report, after_s)
      if (!(await this.#isTaken(job, report)) || isLost) return
      job.spool.shift()
    }
  }

  #fate(number: number): { readonly isLost: boolean; readonly after_s: number | undefined } {
    const { faults } = this.#parts.plan
    const repeated = faults.find((each) => each.kind === 'report-repeated' && each.number === number)
    return {
      isLost: faults.some((each) => each.kind === 'reply-lost' && each.number === number),
      after_s: repeated?.kind === 'report-repeated' ? repeated.after_s : undefined,
    }
  }

  #repeat(job: SimulatedJob, report: Report, after_s: number): void {
    const { timeline } = this.#parts
    this.late += 1
    timeline.after(after_s, () => {
      timeline.tell(`report ${report.sequence} of ${job.parts.spec.key} arrives again`)
      void this.#isTaken(job, report).then(() => (this.late -= 1))
    })
  }

  /** Whether the agent need not send it again. */
  async #isTaken(job: SimulatedJob, report: Report): Promise<boolean> {
    const { api, timeline, takeReport: take } = this.#parts
    const plane = api()
    if (!plane) return false
    const { run, attempt, spec } = job.parts
    timeline.tell(`report ${report.sequence} of ${spec.key} is sent`)
    const reporting = { database: plane.ports.database, run_id: run, attempt, now: plane.ports.now(), onWake: () => plane.wake() }
    return take(reporting, report).then(
      ({ stop }) => {
        if (stop) job.told(stop)
        return true
      },
      (cause: unknown) => {
        if (!(cause instanceof IronlawError)) return false
        if (cause.code === 'IL_FENCED') job.told('fenced')
        return true
      },
    )
  }
}
