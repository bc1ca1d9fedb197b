// The lines of the charts: what a larger proxy, a larger share and more epochs change.

import { type SelectionCase, selectionWorth, worthOfEpochs } from '@ironlaw/planner'
import type { Series } from '../charts/series.ts'
import { decimalLadder } from '../ui/ladder.ts'

const SHARES = [1, 2, 3, 5, 7.5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 100]

/** Epochs after which further ones are hardly worth anything. */
const MOST_EPOCHS = 40

export const PROXIES = decimalLadder({ from: 1e6, to: 1e11 })

/** Time by the share that is kept, of training without selecting. */
export function shareCurves(of: SelectionCase): readonly Series[] {
  const totals = SHARES.map((percent): [number, number] => {
    const { total_s, baseline_s } = selectionWorth({ ...of, keep: percent / 100 }).verdict.figures
    return [percent / 100, total_s / baseline_s]
  })
  return [
    { name: 'select and train', ink: 'work', points: totals },
    { name: 'train on the whole pool', ink: 'exchange', points: totals.map(([share]): [number, number] => [share, 1]) },
  ]
}

/** Time of selecting as a share of training on what is kept, by the size of the proxy. */
export function proxyCurves(of: SelectionCase): readonly Series[] {
  const overheads = PROXIES.map((params): [number, number] => {
    const { overhead } = selectionWorth({ ...of, proxy: { ...of.proxy, params } }).verdict.figures
    return [params, overhead]
  })
  return [
    { name: 'selecting, of training', ink: 'work', points: overheads },
    { name: 'the rule of a tenth', ink: 'exchange', points: overheads.map(([params]): [number, number] => [params, 0.1]) },
  ]
}

/** What the kept text is worth after each epoch, beside as much fresh text. */
export function epochCurves({ keep, tokens }: SelectionCase): readonly Series[] {
  const uniqueTokens = keep * tokens
  const { epochs } = worthOfEpochs({ uniqueTokens, leastGain: 0, mostEpochs: MOST_EPOCHS })
  return [
    { name: 'repeated', ink: 'work', points: epochs.map(({ epoch, effective }): [number, number] => [epoch, effective]) },
    { name: 'fresh text', ink: 'exchange', points: epochs.map(({ epoch }): [number, number] => [epoch, epoch * uniqueTokens]) },
  ]
}
