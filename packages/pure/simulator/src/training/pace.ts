// How training time divides into progress and what holds it up, in whole microseconds, and the same over a whole cycle from one
// checkpoint to the next. Where nothing happens, cycles are alike and are added up many at a time, so that the cost of a simulation goes
// with failures and not with checkpoints.

export type Pace = {
  /** Share of the planned nodes that work. */
  readonly size: number
  /** Speed left by stragglers. */
  readonly evenness: number
  /** Speed left by background writes. */
  readonly alone: number
}

export type SpentTime = { done: number; smaller: number; straggler: number; contention: number }

/** `left`: work until the end of the segment, whose time is rounded up; what was not needed of it counts as the last loss. */
export function spentTime(passed: number, { size, evenness, alone }: Pace, left: number): SpentTime {
  const present = Math.round(passed * size)
  const even = Math.round(present * evenness)
  const done = Math.min(Math.round(even * alone), left)
  return { done, smaller: passed - present, straggler: present - even, contention: even - done }
}

/** Time for `left` work; three roundings of half a microsecond each are made up for. */
export function timeFor(left: number, { size, evenness, alone }: Pace): number {
  const speed = size * evenness * alone
  return speed === 1 ? left : Math.ceil((left + 2) / speed)
}

export type Cycle = SpentTime & { readonly duration: number }

export type Steps = { readonly segment: number; readonly write: number; readonly pause: number }

/** From a checkpoint just taken to the next; undefined where its write would not be over by then. */
export function cycleOf({ segment, write, pause }: Steps, during: Pace): Cycle | undefined {
  if (write >= timeFor(segment, during)) return undefined
  const first = spentTime(write, during, segment)
  const after = write === 0 ? during : { ...during, alone: 1 }
  const rest = timeFor(segment - first.done, after)
  const second = spentTime(rest, after, segment - first.done)
  return {
    done: first.done + second.done,
    smaller: first.smaller + second.smaller,
    straggler: first.straggler + second.straggler,
    contention: first.contention + second.contention,
    duration: write + rest + pause,
  }
}
