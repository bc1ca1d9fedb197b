// What further epochs over the same text are worth.

import { explain } from '@ironlaw/laws'
import { repeatedTokens } from '@ironlaw/laws/data/selection'
import { givenValue, type Known } from '@ironlaw/units'

type EpochWorth = {
  readonly epoch: number
  /** Fresh tokens that all epochs so far are worth. */
  readonly effective: number
  /** Of them by this epoch, as a share of fresh text of the same size. */
  readonly gain: number
}

export type WorthOfEpochs = {
  readonly epochs: readonly EpochWorth[]
  /** The first epoch that brings less than asked for; nothing where none within the limit does. */
  readonly stopAt?: number
  /** Of the last epoch that is still worth it. */
  readonly by: Known<'token'>
}

export type EpochRequest = {
  readonly uniqueTokens: number
  /** Share of fresh text below which an epoch is not worth its compute. */
  readonly leastGain: number
  readonly mostEpochs?: number
}

const MOST_EPOCHS = 100

export function worthOfEpochs({ uniqueTokens, leastGain, mostEpochs = MOST_EPOCHS }: EpochRequest): WorthOfEpochs {
  const after = (epochs: number): Known<'token'> =>
    explain(repeatedTokens, { uniqueTokens: givenValue(uniqueTokens, 'token'), epochs: givenValue(epochs, '1') })
  const epochs: EpochWorth[] = []
  let before = 0
  for (let epoch = 1; epoch <= mostEpochs; epoch += 1) {
    const effective = after(epoch).value
    const gain = (effective - before) / uniqueTokens
    if (epoch > 1 && gain < leastGain) return { epochs, stopAt: epoch, by: after(epoch - 1) }
    epochs.push({ epoch, effective, gain })
    before = effective
  }
  return { epochs, by: after(mostEpochs) }
}

/** Epochs after which the text is worth that many fresh tokens; nothing where no number of epochs is. */
export function epochsFor(uniqueTokens: number, effectiveTokens: number): number | undefined {
  const worth = (epochs: number): number =>
    explain(repeatedTokens, { uniqueTokens: givenValue(uniqueTokens, 'token'), epochs: givenValue(epochs, '1') }).value
  if (effectiveTokens <= uniqueTokens) return effectiveTokens / uniqueTokens
  let [low, high] = [1, 2]
  while (worth(high) < effectiveTokens) {
    if (high > 1e6) return undefined
    ;[low, high] = [high, 2 * high]
  }
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2
    if (worth(middle) < effectiveTokens) low = middle
    else high = middle
  }
  return high
}
