// The pipeline replayed event by event: what each rank does when. The search uses the closed form of step-time.ts; this is its judge. A pass
// starts when its rank is free and what it needs has arrived. The order of passes comes from `pass-order.ts`.

import { orderOf, type PassSlot, type Task } from './pass-order.ts'
import type { Schedule } from '../strategy.ts'

/** One microbatch through one stage. `weight` is the part of `backward` that only makes gradients of weights, half of it when absent. */
export type StagePass = { readonly forward: number; readonly backward: number; readonly send: number; readonly weight?: number }

export type PipelineEvent = Task & { readonly stage: number; readonly start: number; readonly end: number }

export type Timeline = { readonly span: number; readonly events: readonly PipelineEvent[] }

type Pipeline = {
  readonly stages: readonly StagePass[]
  readonly microbatches: number
  readonly schedule: Schedule
  /** Chunks per rank of the interleaved schedule. */
  readonly virtual: number
}

export function timeline({ stages, microbatches, schedule, virtual }: Pipeline): Timeline {
  const chain = schedule === 'dualpipe' ? bidirectionalChain(stages) : ringChain(stages, virtual)
  const orders = stages.map((_, stage) => orderOf({ stage, pipeline: stages.length, microbatches, virtual }, schedule))
  const next = stages.map(() => 0)
  const free = stages.map(() => 0)
  const ends = new Map<string, number>()
  const events: PipelineEvent[] = []
  const run = (stage: number, slot: PassSlot): boolean => {
    const ready = slot.map((task) => readyAt(chain, ends, { stage, task }))
    if (ready.includes(undefined)) return false
    const start = Math.max(free[stage] ?? 0, ...ready.filter((time) => time !== undefined))
    const end = start + slot.reduce((sum, task) => sum + durationOf(chain.passAt({ stage, chunk: task.chunk }), task), 0)
    for (const task of slot) {
      ends.set(key(stage, task), end)
      events.push({ stage, ...task, start, end })
    }
    free[stage] = end
    return true
  }
  for (let moved = true; moved;) {
    moved = false
    orders.forEach((order, stage) => {
      for (let slot = order[next[stage] ?? 0]; slot && run(stage, slot); slot = order[next[stage] ?? 0]) {
        next[stage] = (next[stage] ?? 0) + 1
        moved = true
      }
    })
  }
  if (orders.some((order, stage) => next[stage] !== order.length))
    throw new Error(`the ${schedule} schedule is stuck after ${events.length} passes`)
  return { span: Math.max(...free), events }
}

type ChunkPosition = { readonly stage: number; readonly chunk: number }

/** How a microbatch travels through ranks and chunks, and what it costs there. */
type Chain = {
  readonly before: (place: ChunkPosition) => ChunkPosition | undefined
  readonly after: (place: ChunkPosition) => ChunkPosition | undefined
  readonly passAt: (place: ChunkPosition) => StagePass
}

const IDLE: StagePass = { forward: 0, backward: 0, send: 0 }

/** The last rank's chunk feeds the first rank's next one. */
function ringChain(stages: readonly StagePass[], virtual: number): Chain {
  const last = stages.length - 1
  return {
    before: ({ stage, chunk }) => (stage > 0 ? { stage: stage - 1, chunk } : chunk > 0 ? { stage: last, chunk: chunk - 1 } : undefined),
    after: ({ stage, chunk }) =>
      stage < last ? { stage: stage + 1, chunk } : chunk < virtual - 1 ? { stage: 0, chunk: chunk + 1 } : undefined,
    passAt: ({ stage }) => {
      const { forward, backward, send, weight = backward / 2 } = stages[stage] ?? IDLE
      return { forward: forward / virtual, backward: backward / virtual, send: send / virtual, weight: weight / virtual }
    },
  }
}

/** DualPipe: chunk 0 goes down the ranks and chunk 1 up, each through all stages of the model. */
function bidirectionalChain(stages: readonly StagePass[]): Chain {
  const last = stages.length - 1
  const neighbourOf = ({ stage, chunk }: ChunkPosition, by: number): ChunkPosition | undefined => {
    const to = stage + (chunk === 0 ? by : -by)
    return to >= 0 && to <= last ? { stage: to, chunk } : undefined
  }
  return {
    before: (place) => neighbourOf(place, -1),
    after: (place) => neighbourOf(place, 1),
    passAt: ({ stage, chunk }) => stages[chunk === 0 ? stage : last - stage] ?? IDLE,
  }
}

/** A whole backward pass and one for inputs alone give the stage before the same thing. */
const key = (stage: number, { pass, microbatch, chunk }: Task): string =>
  `${pass === 'input' ? 'backward' : pass} ${stage} ${chunk} ${microbatch}`

function durationOf({ forward, backward, weight = backward / 2 }: StagePass, { pass }: Task): number {
  return { forward, backward, input: backward - weight, weight }[pass]
}

type PendingTask = { readonly stage: number; readonly task: Task }

/** When the input of a pass is there; undefined while what makes it has not run. */
function readyAt(chain: Chain, ends: ReadonlyMap<string, number>, { stage, task }: PendingTask): number | undefined {
  const { chunk, pass } = task
  if (pass === 'weight') return ends.get(key(stage, { ...task, pass: 'input' }))
  const own = pass === 'forward' ? 0 : ends.get(key(stage, { ...task, pass: 'forward' }))
  const source = pass === 'forward' ? chain.before({ stage, chunk }) : chain.after({ stage, chunk })
  if (own === undefined || !source) return own
  const end = ends.get(key(source.stage, { ...task, chunk: source.chunk }))
  return end === undefined ? undefined : Math.max(own, end + chain.passAt({ stage, chunk }).send / 2)
}
