// The state behind a simulated fleet. Nothing happens between two calls: `settle` brings the past up to the clock, event by event.

import { coversKind, slotsPerNode } from '@ironlaw/contracts'
import type { Done, Refused } from '../answers.ts'
import { type JobSighting, type Node, type Submitted, workingState } from '../executor.ts'
import { type JobSpec, misfitOf, refusalOf } from '../job-spec.ts'

/** What a job does once it runs; nothing for one that never ends by itself. */
export type Script = { readonly lasts_s: number; readonly exit: number } | undefined

export type World = {
  readonly nodes: readonly string[]
  readonly slots: number
  /** Accelerators of each node; none when absent. */
  readonly devices?: { readonly kind: string; readonly perNode: number }
  readonly now_s: () => number
  readonly script: (job: JobSpec) => Script
  /** From a node's death to the moment the backend believes it. Slurm with SlurmdTimeout=30 took 37 s. */
  readonly detection_s?: number
}

type Condition = { readonly kind: 'up' | 'hung' } | { readonly kind: 'dead'; readonly since_s: number }
type SimulatedNode = { readonly name: string; condition: Condition; drained?: string; taken: number; takenDevices: number }
type EndedSighting = Extract<JobSighting, { readonly state: 'ended' }>

/** `stuck`: a node was lost under it, so it will not end by itself, not even when the node returns. */
type RunningJob = {
  readonly spec: JobSpec
  places: readonly SimulatedNode[]
  readonly start_s: number
  readonly script: Script
  stuck: boolean
  /** Its programs were ordered to end, or have ended: each node's part is over when that node can report it. */
  ending: End | undefined
}
type End = { readonly at_s: number; readonly ended: EndedSighting }

export class SimulatedCluster {
  private readonly world: World
  private readonly places: readonly SimulatedNode[]
  private readonly ended = new Map<string, EndedSighting>()
  private readonly running = new Map<string, RunningJob>()
  private readonly waiting = new Map<string, JobSpec>()
  /** Until when nothing ends; unknown after a change. */
  private calmUntil_s: number | undefined

  constructor(world: World) {
    this.world = world
    this.places = world.nodes.map((name) => ({ name, condition: { kind: 'up' }, taken: 0, takenDevices: 0 }))
  }

  settle(): void {
    this.dropLost()
    for (;;) {
      if (this.world.now_s() < (this.calmUntil_s ?? -Infinity)) return
      const next = [...this.running.values()]
        .map((job) => ({ job, end: this.endOf(job) }))
        .reduce<{ readonly job: RunningJob; readonly end: End } | undefined>(
          (first, other) => (first === undefined || other.end.at_s < first.end.at_s ? other : first),
          undefined,
        )
      this.calmUntil_s = next?.end.at_s ?? Infinity
      if (next === undefined || next.end.at_s > this.world.now_s()) return
      this.calmUntil_s = undefined
      this.finish(next.job, next.end.ended)
      this.startWaiting(next.end.at_s)
    }
  }

  /** A job that survives node loss continues without a node that is believed dead, as long as it has another. */
  private dropLost(): void {
    for (const job of this.running.values()) {
      if (!job.spec.survivesNodeLoss) continue
      const left = job.places.filter(({ condition }) => condition.kind !== 'dead' || !this.isBelievedDead(condition.since_s))
      if (left.length === job.places.length || left.length === 0) continue
      for (const place of job.places) if (!left.includes(place)) giveBack(place, job.spec)
      job.places = left
      this.calmUntil_s = undefined
    }
  }

  submit(spec: JobSpec): Submitted | Refused {
    const refusal = refusalOf(spec) ?? misfitOf(spec, this.nodes())
    if (refusal) return refusal
    const already = this.sighting(spec.key).state !== 'absent'
    if (!already) {
      this.waiting.set(spec.key, spec)
      this.startWaiting(this.world.now_s())
    }
    return { answer: 'submitted', reference: spec.key, already }
  }

  cancel(key: string): Done {
    const job = this.running.get(key)
    if (job) this.end(job, { state: 'ended', how: 'cancelled' })
    else if (this.waiting.delete(key)) this.ended.set(key, { state: 'ended', how: 'cancelled' })
    this.settle()
    return { answer: 'done' }
  }

  /** As Slurm does it: the node that the job's script runs on can only go with the job. */
  release(key: string, nodes: readonly string[]): Done | Refused {
    const job = this.running.get(key)
    const given = job?.places.filter(({ name }) => nodes.includes(name)) ?? []
    if (!job || job.ending || given.length === 0) return { answer: 'done' }
    if (given.length === job.places.length) return this.cancel(key)
    const [first] = job.places
    if (first && given.includes(first)) return { answer: 'refused', field: 'nodes', reason: `${first.name} runs the script of the job` }
    for (const place of given) giveBack(place, job.spec)
    job.places = job.places.filter((place) => !given.includes(place))
    this.calmUntil_s = undefined
    this.settle()
    this.startWaiting(this.world.now_s())
    return { answer: 'done' }
  }

  /** The programs of a job end by themselves. */
  exit(key: string, status: number): void {
    this.settle()
    const job = this.running.get(key)
    if (job) this.end(job, resultOf(status))
    this.settle()
    this.startWaiting(this.world.now_s())
  }

  jobs(): ReadonlyMap<string, JobSighting> {
    const keys = [...this.ended.keys(), ...this.running.keys(), ...this.waiting.keys()]
    return new Map(keys.map((key) => [key, this.sighting(key)]))
  }

  sighting(key: string): JobSighting {
    const ended = this.ended.get(key)
    if (ended) return ended
    const job = this.running.get(key)
    if (job) return job.ending ? { state: 'ending' } : { state: 'running', nodes: job.places.map(({ name }) => name), unresponsive: [] }
    const spec = this.waiting.get(key)
    if (spec === undefined) return { state: 'absent' }
    const devices = spec.devices ? ` and ${spec.devices.perNode} free ${spec.devices.kind}` : ''
    const reason = `needs ${spec.nodes} nodes with ${slotsPerNode(spec)} free slots${devices}; ${this.fittingNodes(spec).length} have them`
    return { state: 'pending', reason, position: [...this.waiting.keys()].indexOf(key) + 1 }
  }

  nodes(): readonly Node[] {
    return this.places.map((place) => {
      const { name, drained, condition } = place
      const lost = condition.kind === 'dead' ? (this.isBelievedDead(condition.since_s) ? 'down' : 'unresponsive') : undefined
      const { slots } = this.world
      const free = this.freeOn(place)
      const state = lost ?? (drained === undefined ? workingState({ slots, free }) : 'drained')
      const offered = this.world.devices
      const devices = offered && {
        devices: [{ kind: offered.kind, total: offered.perNode, free: this.freeDevicesOn(place, offered.kind) }],
      }
      const reason = drained === undefined ? {} : { reason: drained }
      return { name, state, slots, free, ...devices, ...reason }
    })
  }

  setDrained(name: string, reason: string | undefined): Done | Refused {
    const place = this.places.find((other) => other.name === name)
    if (place === undefined) return { answer: 'refused', field: 'node', reason: `there is no node ${name}` }
    if (reason === undefined) delete place.drained
    else place.drained = reason
    this.startWaiting(this.world.now_s())
    return { answer: 'done' }
  }

  set(name: string, condition: Condition): void {
    this.settle()
    for (const place of this.places) if (place.name === name) place.condition = condition
    this.calmUntil_s = undefined
    if (condition.kind !== 'up') for (const job of this.running.values()) job.stuck ||= job.places.some((place) => place.name === name)
    this.settle()
    this.startWaiting(this.world.now_s())
  }

  /** The earliest of what may end a job. One that is ending lingers until its dead nodes are believed dead, as in Slurm. */
  private endOf({ places, start_s, script, stuck, ending, spec }: RunningJob): End {
    const deaths = places.flatMap(({ condition }) => (condition.kind === 'dead' ? [condition.since_s + this.detection_s()] : []))
    if (ending) return { at_s: Math.max(ending.at_s, ...deaths), ended: ending.ended }
    const own: End = { at_s: stuck || script === undefined ? Infinity : start_s + script.lasts_s, ended: resultOf(script?.exit ?? 0) }
    const isLast = !spec.survivesNodeLoss || deaths.length === places.length
    const others: readonly End[] = [
      {
        at_s: !isLast ? Infinity : spec.survivesNodeLoss ? Math.max(...deaths) : Math.min(Infinity, ...deaths),
        ended: { state: 'ended', how: 'node-failed' },
      },
      { at_s: start_s + (spec.timeLimit_s ?? Infinity), ended: { state: 'ended', how: 'timeout' } },
    ]
    return others.reduce((first, other) => (other.at_s < first.at_s ? other : first), own)
  }

  private end(job: RunningJob, ended: EndedSighting): void {
    job.ending ??= { at_s: this.world.now_s(), ended }
    this.calmUntil_s = undefined
  }

  private finish({ spec, places }: RunningJob, ended: EndedSighting): void {
    this.running.delete(spec.key)
    this.ended.set(spec.key, ended)
    for (const place of places) giveBack(place, spec)
  }

  /** In order of submission; a later job may pass an earlier one that does not fit. */
  private startWaiting(start_s: number): void {
    for (const [key, spec] of this.waiting) {
      const places = this.fittingNodes(spec).slice(0, spec.nodes)
      if (places.length < spec.nodes) continue
      for (const place of places) {
        place.taken += slotsPerNode(spec)
        place.takenDevices += spec.devices?.perNode ?? 0
      }
      const stuck = places.some(({ condition }) => condition.kind === 'hung')
      this.waiting.delete(key)
      this.calmUntil_s = undefined
      this.running.set(key, { spec, places, start_s, script: this.world.script(spec), stuck, ending: undefined })
    }
  }

  private fittingNodes(spec: JobSpec): readonly SimulatedNode[] {
    const { kind = '', perNode = 0 } = spec.devices ?? {}
    const hasRoom = (place: SimulatedNode): boolean =>
      this.freeOn(place) >= slotsPerNode(spec) && (perNode === 0 || this.freeDevicesOn(place, kind) >= perNode)
    return this.places.filter((place) => hasRoom(place) && !spec.exclude.includes(place.name))
  }

  private freeDevicesOn({ condition, drained, takenDevices }: SimulatedNode, kind: string): number {
    const { devices } = this.world
    if (!devices || !coversKind(kind, devices.kind) || condition.kind === 'dead' || drained !== undefined) return 0
    return devices.perNode - takenDevices
  }

  private freeOn({ condition, drained, taken }: SimulatedNode): number {
    return condition.kind === 'dead' || drained !== undefined ? 0 : this.world.slots - taken
  }

  private detection_s(): number {
    return this.world.detection_s ?? 37
  }

  private isBelievedDead(since_s: number): boolean {
    return this.world.now_s() >= since_s + this.detection_s()
  }
}

function giveBack(place: SimulatedNode, spec: JobSpec): void {
  place.taken -= slotsPerNode(spec)
  place.takenDevices -= spec.devices?.perNode ?? 0
}

const resultOf = (exit: number): EndedSighting =>
  exit === 0 ? { state: 'ended', how: 'completed' } : { state: 'ended', how: 'failed', exit }
