// In which order one rank of a pipeline runs its passes, by schedule. A slot holds passes that run side by side.

import type { Schedule } from '../strategy.ts'

export type Task = {
  /** `backward` is whole; split, `input` makes what the stage before waits for and `weight` the gradients of weights, at leisure. */
  readonly pass: 'forward' | 'backward' | 'input' | 'weight'
  readonly microbatch: number
  /** Of the interleaved schedule; the direction of DualPipe. */
  readonly chunk: number
}

export type PassSlot = readonly Task[]

type PipelineRank = { readonly stage: number; readonly pipeline: number; readonly microbatches: number; readonly virtual: number }

export function orderOf(rank: PipelineRank, schedule: Schedule): readonly PassSlot[] {
  switch (schedule) {
    case 'zero-bubble':
      return zeroBubble(rank)
    case 'dualpipe':
      return dualPipe(rank)
    case 'gpipe':
    case '1f1b':
    case 'interleaved':
      return oneByOne(rank, schedule).map((task) => [task])
  }
}

/** Forward passes to warm up, then one forward and one backward at a time, then the backward passes that are left. */
function oneByOne(rank: PipelineRank, schedule: 'gpipe' | '1f1b' | 'interleaved'): readonly Task[] {
  const { stage, pipeline, microbatches, virtual } = rank
  const forward = passes('forward', rank)
  const backward = passes('backward', rank)
  const warmUp = {
    gpipe: forward.length,
    '1f1b': pipeline - stage - 1,
    interleaved: 2 * (pipeline - stage - 1) + (virtual - 1) * pipeline,
  }[schedule]
  const before = Math.min(schedule === 'interleaved' && microbatches === pipeline ? forward.length : warmUp, forward.length)
  const order = forward.slice(0, before)
  for (let index = before; index < forward.length; index += 1)
    order.push(...forward.slice(index, index + 1), ...backward.slice(index - before, index - before + 1))
  return [...order, ...backward.slice(forward.length - before)]
}

/** Megatron's order of chunks: a round of as many microbatches as stages passes one chunk, then the next; backward in reverse. */
function passes(pass: 'forward' | 'backward', { pipeline, microbatches, virtual }: PipelineRank): Task[] {
  const round = virtual === 1 ? microbatches : pipeline
  const tasks: Task[] = []
  for (let first = 0; first < microbatches; first += round)
    for (let index = 0; index < virtual; index += 1)
      for (let microbatch = first; microbatch < Math.min(first + round, microbatches); microbatch += 1)
        tasks.push({ pass, microbatch, chunk: pass === 'forward' ? index : virtual - 1 - index })
  return tasks
}

/**
 * ZB-H1 (Qi et al. 2023): 1F1B with the backward pass split. A rank puts its weight gradients off by as many microbatches as there are ranks
 * before it, so that all ranks hold as much as the first one does under 1F1B, and fills the drain with them.
 */
function zeroBubble({ stage, pipeline, microbatches }: PipelineRank): readonly PassSlot[] {
  const warmUp = Math.min(pipeline - stage - 1, microbatches)
  const task = (pass: Task['pass'], microbatch: number): PassSlot[] =>
    microbatch >= 0 && microbatch < microbatches ? [[{ pass, microbatch, chunk: 0 }]] : []
  const steps = Array.from({ length: microbatches + stage }, (_, step) => step)
  return [
    ...steps.slice(0, warmUp).flatMap((step) => task('forward', step)),
    ...steps.flatMap((step) => [...task('forward', step + warmUp), ...task('input', step), ...task('weight', step - stage)]),
  ]
}

/**
 * DualPipe (DeepSeek-V3 report, 2024; steps as in dualpipe.py of deepseek-ai/DualPipe): half of the microbatches enter at each end. A rank calls
 * the direction that starts nearer to it `near`; in the steady state a forward pass of one direction runs together with a backward pass of
 * the other.
 */
function dualPipe({ stage, pipeline, microbatches }: PipelineRank): readonly PassSlot[] {
  const half = pipeline / 2
  const depth = Math.min(stage, pipeline - 1 - stage)
  const near = stage < half ? 0 : 1
  const far = 1 - near
  const slots: PassSlot[] = []
  const done = new Map<string, number>()
  const delayed: Task[] = []
  const take = (pass: 'forward' | 'backward' | 'input', chunk: number): Task => {
    const counter = `${pass === 'forward' ? pass : 'backward'} ${chunk}`
    const microbatch = done.get(counter) ?? 0
    done.set(counter, microbatch + 1)
    if (pass === 'input') delayed.push({ pass: 'weight', microbatch, chunk })
    return { pass, microbatch, chunk }
  }
  const run = (...tasks: Task[]): void => void slots.push(tasks)
  const weight = (): void => run(...delayed.splice(0, 1))
  const times = (count: number, body: (index: number) => void): void => Array.from({ length: count }, (_, index) => index).forEach(body)
  times(2 * (half - depth - 1), () => run(take('forward', near)))
  times(depth + 1, () => {
    run(take('forward', near))
    run(take('forward', far))
  })
  times(half - depth - 1, () => {
    run(take('input', far))
    weight()
    run(take('forward', far))
  })
  times(microbatches / 2 - pipeline + depth + 1, (index) => {
    // The middle ranks would wait for each other: their first pair runs one after the other.
    if (index === 0 && depth === half - 1) {
      run(take('forward', near))
      run(take('backward', far))
    } else run(take('forward', near), take('backward', far))
    run(take('forward', far), take('backward', near))
  })
  times(half - depth - 1, () => {
    run(take('backward', far))
    run(take('forward', far), take('backward', near))
  })
  const middle = Math.floor((depth + 1) / 2)
  times(depth + 1, (index) => {
    run(take(index > middle || (index === middle && depth % 2 === 1) ? 'input' : 'backward', far))
    run(take(index >= middle ? 'input' : 'backward', near))
  })
  times(half - depth - 1, () => {
    weight()
    run(take('input', near))
  })
  times(depth + 1, weight)
  return slots
}
