// Loss spikes, step by step: a loss far above the steps before it, or no number at all. judgeLoss asks whether a run must go back; this one names the
// batches to look at, also of spikes that healed.

import type { LossRow } from './judge-loss.ts'

export type LossSpike = {
  /** The first step of the bad stretch: its batch is the one to look at. */
  readonly step: number
  /** The last bad step of it. */
  readonly until: number
  /** The highest finite loss of the stretch; null where there was none. */
  readonly loss: number | null
  /** What the steps before it let expect; undefined before there were enough of them. */
  readonly usual?: number
  /** Robust standard deviations that the highest loss is above the usual. */
  readonly deviations?: number
  /** Whether a loss of it was not a finite number. */
  readonly isBroken: boolean
}

/** Steps that say what is usual. With fewer, nothing but a loss that is no number is called a spike. */
const USUAL_STEPS = 50
/**
 * Robust standard deviations, as judgeLoss has them. Measured on smooth curves with noise: one false spike in a million steps of independent normal
 * noise, one in 35,000 where it persists (correlation 0.9 from step to step), one in 2,000 where its tails are those of a Laplace distribution.
 */
const FAR = 8
/** Of the usual loss: what is smaller is no spike, however calm the steps before it were. */
const LEAST_SHARE = 0.002
/** So many good steps end a stretch. Until then further bad steps belong to it. */
const CALM_STEPS = 10
/** Of a normal distribution, from its median absolute deviation. */
const DEVIATION = 1.4826

export type LossWatch = {
  /** In the order in which steps were taken, over all attempts. */
  readonly add: (row: LossRow) => void
  readonly spikes: () => readonly LossSpike[]
}

/** Ten microseconds a step, so that a run of a million steps can be read. */
export function watchLoss(): LossWatch {
  const spikes: LossSpike[] = []
  const recent: number[] = []
  let calm = CALM_STEPS
  const report = (spike: LossSpike): void => {
    const last = spikes.at(-1)
    if (last && calm < CALM_STEPS && spike.step > last.step) spikes[spikes.length - 1] = joined(last, spike)
    else spikes.push(spike)
    calm = 0
  }
  return {
    spikes: () => [...spikes],
    add: ({ step, loss }) => {
      if (loss === undefined) return
      if (loss === null || !Number.isFinite(loss)) {
        const usual = recent.length === USUAL_STEPS ? { usual: usualOf(recent).usual } : {}
        report({ step, until: step, loss: null, ...usual, isBroken: true })
        return
      }
      // Outside of a stretch only a loss above the newest ones can be far above all: this spares nine of ten steps the medians.
      const isAsked = recent.length === USUAL_STEPS && (calm < CALM_STEPS || loss > Math.max(...recent.slice(-CALM_STEPS)))
      const far = isAsked ? deviationsOf(loss, recent) : undefined
      if (far && far.deviations > FAR) report({ step, until: step, loss, ...far, isBroken: false })
      else calm += 1
      // Bad steps are remembered too: a loss that stays high is what is usual once it was so for half of the window.
      recent.push(loss)
      if (recent.length > USUAL_STEPS) recent.shift()
    },
  }
}

export function lossSpikes(rows: Iterable<LossRow>): readonly LossSpike[] {
  const watch = watchLoss()
  for (const row of rows) watch.add(row)
  return watch.spikes()
}

/** One sentence. */
export function spikeText({ step, until, loss, usual, deviations, isBroken }: LossSpike): string {
  const height = loss === null ? '' : `${loss.toPrecision(4)}${isBroken ? ', then not a number' : ''}`
  const above = deviations === undefined ? '' : `${Math.round(deviations).toLocaleString('en')} deviations above `
  const before = usual === undefined ? '' : `, ${above || 'after '}${usual.toPrecision(4)}`
  return `loss ${height || 'is not a number'} at step ${step.toLocaleString('en')}${before}${until > step ? `, until step ${until.toLocaleString('en')}` : ''}`
}

/** The usual of a stretch is that of its first step. */
function joined(first: LossSpike, next: LossSpike): LossSpike {
  const isHigher = next.loss !== null && (first.loss === null || next.loss > first.loss)
  const deviations = isHigher ? next.deviations : first.deviations
  return {
    ...first,
    until: next.step,
    isBroken: first.isBroken || next.isBroken,
    ...(isHigher && { loss: next.loss }),
    ...(deviations !== undefined && { deviations }),
  }
}

function deviationsOf(loss: number, recent: readonly number[]): { readonly usual: number; readonly deviations: number } {
  const { usual, spread } = usualOf(recent)
  return { usual, deviations: (loss - usual) / spread }
}

const HALF = USUAL_STEPS / 2
/** Where the middle of the newer half lies. */
const NEWER_MIDDLE = USUAL_STEPS - (HALF + 1) / 2

/**
 * What the next loss is expected to be, and how far off the steps before it were: medians of both halves give a line. Without it the fall at the
 * beginning of a run would pass for noise, and hide spikes. A rise is not followed: it is what is looked for.
 */
function usualOf(recent: readonly number[]): { readonly usual: number; readonly spread: number } {
  const newer = middleOf(Float64Array.from(recent.slice(HALF)))
  const slope = Math.min(0, (newer - middleOf(Float64Array.from(recent.slice(0, HALF)))) / HALF)
  const distances = Float64Array.from(recent, (loss, at) => Math.abs(loss - newer - slope * (at - NEWER_MIDDLE)))
  const usual = newer + slope * (USUAL_STEPS - NEWER_MIDDLE)
  return { usual, spread: Math.max(DEVIATION * middleOf(distances), (LEAST_SHARE * Math.abs(usual)) / FAR, Number.MIN_VALUE) }
}

function middleOf(numbers: Float64Array): number {
  // Insertion: for so few numbers the fastest.
  for (let at = 1; at < numbers.length; at += 1) {
    const number = numbers[at] as number
    let to = at
    for (; to > 0 && (numbers[to - 1] as number) > number; to -= 1) numbers[to] = numbers[to - 1] as number
    numbers[to] = number
  }
  const half = numbers.length >> 1
  return numbers.length % 2 === 1 ? (numbers[half] as number) : ((numbers[half - 1] as number) + (numbers[half] as number)) / 2
}
