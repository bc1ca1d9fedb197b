// How many replicas the bursts of late have filled. Headroom is measured rather than guessed: a smooth load needs hardly any, one in bursts
// needs what its bursts need.

/** Tokens that arrived while a number of replicas were full, by that number; old ones fade. */
export type Bursts = readonly number[]

type BurstSample = {
  /** Tokens a second, over the time that a queue may last. */
  readonly load: number
  readonly elapsed_s: number
  readonly tokensPerSecond: number
  readonly most: number
  readonly fade_s: number
}

/** Replicas' worth of tokens that passing time counts for, whatever comes: or silence would never outweigh the bursts before it. */
const SILENCE = 1

/** A long silence: one look at a new deployment is not all that ever comes. */
export const quietBursts = ({ tokensPerSecond, fade_s }: Pick<BurstSample, 'tokensPerSecond' | 'fade_s'>): Bursts => [
  SILENCE * tokensPerSecond * fade_s,
]

export function updatedBursts(bursts: Bursts, { load, elapsed_s, tokensPerSecond, most, fade_s }: BurstSample): Bursts {
  const kept = Math.exp(-elapsed_s / fade_s)
  const filled = Math.min(most, Math.ceil(load / tokensPerSecond - 1e-9))
  const faded = Array.from({ length: Math.max(bursts.length, filled + 1) }, (_, replicas) => (bursts[replicas] ?? 0) * kept)
  faded[filled] = (faded[filled] ?? 0) + (load + SILENCE * tokensPerSecond) * fade_s * (1 - kept)
  return faded
}

/** The fewest replicas with which this share of the tokens found room. */
export function replicasForBursts(bursts: Bursts, share: number): number {
  const lacking = (1 - share) * bursts.reduce((sum, tokens) => sum + tokens, 0)
  let beyond = 0
  for (let replicas = bursts.length - 1; replicas > 0; replicas -= 1) {
    beyond += bursts[replicas] ?? 0
    if (beyond > lacking) return replicas
  }
  return 0
}
