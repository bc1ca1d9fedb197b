// The pipeline replayed event by event: what each stage does when, under GPipe, 1F1B and interleaved 1F1B. The search uses the closed form of
// step-time.ts; this is its judge. A pass starts when its stage is free and what it needs has arrived.

type StagePass = { readonly forward: number; readonly backward: number; readonly send: number }

export type PipelineEvent = {
  readonly stage: number
  readonly microbatch: number
  readonly chunk: number
  readonly pass: 'forward' | 'backward'
  readonly start: number
  readonly end: number
}

export type Timeline = { readonly span: number; readonly events: readonly PipelineEvent[] }

export type Replayed = 'gpipe' | '1f1b' | 'interleaved'

type Task = { readonly pass: 'forward' | 'backward'; readonly microbatch: number; readonly chunk: number }

type Pipeline = {
  readonly stages: readonly StagePass[]
  readonly microbatches: number
  readonly schedule: Replayed
  readonly virtual: number
}

export function timeline({ stages, microbatches, schedule, virtual }: Pipeline): Timeline {
  const orders = stages.map((_, stage) => orderOf({ stage, pipeline: stages.length, microbatches, virtual }, schedule))
  const next = stages.map(() => 0)
  const free = stages.map(() => 0)
  const ends = new Map<string, number>()
  const events: PipelineEvent[] = []
  for (let moved = true; moved;) {
    moved = false
    for (let stage = 0; stage < stages.length; stage += 1) {
      for (let task = orders[stage]?.[next[stage] ?? 0]; task; task = orders[stage]?.[next[stage] ?? 0]) {
        const ready = readyAt(task, { stage, stages, virtual, ends })
        if (ready === undefined) break
        const start = Math.max(ready, free[stage] ?? 0)
        const end = start + durationOf(stages[stage] as StagePass, task, virtual)
        ends.set(key(stage, task), end)
        free[stage] = end
        next[stage] = (next[stage] ?? 0) + 1
        events.push({ stage, ...task, start, end })
        moved = true
      }
    }
  }
  const expected = orders.reduce((sum, order) => sum + order.length, 0)
  if (events.length !== expected) throw new Error(`the ${schedule} schedule is stuck after ${events.length} of ${expected} passes`)
  return { span: Math.max(...free), events }
}

const key = (stage: number, { pass, microbatch, chunk }: Task): string => `${pass} ${stage} ${chunk} ${microbatch}`

const durationOf = ({ forward, backward }: StagePass, { pass }: Task, virtual: number): number =>
  (pass === 'forward' ? forward : backward) / virtual

type World = {
  readonly stage: number
  readonly stages: readonly StagePass[]
  readonly virtual: number
  readonly ends: ReadonlyMap<string, number>
}

/** When the input of a pass is there; undefined while what makes it has not run. The last chunk of a rank feeds the first rank's next chunk. */
function readyAt(task: Task, { stage, stages, virtual, ends }: World): number | undefined {
  const last = stages.length - 1
  const { microbatch, chunk, pass } = task
  const hop = (stages[stage]?.send ?? 0) / 2 / virtual
  const from = (source: number, of: Task): number | undefined => {
    const end = ends.get(key(source, of))
    return end === undefined ? undefined : end + hop
  }
  if (pass === 'forward') {
    if (stage > 0) return from(stage - 1, task)
    return chunk === 0 ? 0 : from(last, { ...task, chunk: chunk - 1 })
  }
  const own = ends.get(key(stage, { pass: 'forward', microbatch, chunk }))
  if (own === undefined) return undefined
  if (stage < last) return from(stage + 1, task)
  return chunk === virtual - 1 ? own : from(0, { ...task, chunk: chunk + 1 })
}

type Place = { readonly stage: number; readonly pipeline: number; readonly microbatches: number; readonly virtual: number }

function orderOf(place: Place, schedule: Replayed): readonly Task[] {
  const { stage, pipeline, microbatches, virtual } = place
  const forward = passes('forward', place)
  const backward = passes('backward', place)
  const warmUp = {
    gpipe: forward.length,
    '1f1b': pipeline - stage - 1,
    interleaved: 2 * (pipeline - stage - 1) + (virtual - 1) * pipeline,
  }[schedule]
  const before = Math.min(schedule === 'interleaved' && microbatches === pipeline ? forward.length : warmUp, forward.length)
  const order: Task[] = forward.slice(0, before)
  for (let index = before; index < forward.length; index += 1) order.push(forward[index] as Task, backward[index - before] as Task)
  return [...order, ...backward.slice(forward.length - before)]
}

/** Megatron's order of chunks: a round of as many microbatches as stages passes one chunk, then the next; backward in reverse. */
function passes(pass: Task['pass'], { pipeline, microbatches, virtual }: Place): Task[] {
  const round = virtual === 1 ? microbatches : pipeline
  const tasks: Task[] = []
  for (let first = 0; first < microbatches; first += round)
    for (let index = 0; index < virtual; index += 1)
      for (let microbatch = first; microbatch < Math.min(first + round, microbatches); microbatch += 1)
        tasks.push({ pass, microbatch, chunk: pass === 'forward' ? index : virtual - 1 - index })
  return tasks
}
