// Whether data keeps up with a plan, in one line.

import type { Feeding } from '@ironlaw/planner'
import { counted, quantity, seconds, show, showPercent } from '@ironlaw/units'

export function feedingText({ bytes_per_s, share, storage, readers, workers, prefetch, stall_s }: Feeding): string {
  const reads = `data: ${show(quantity(bytes_per_s, 'B/s'), 'B/s')} of tokens, ${shareText(share)} of what ${storage} gives`
  const loaders = `${counted(workers, 'loader worker')} and ${counted(prefetch, 'batch', 'batches')} ahead for each of ${counted(readers, 'reader')}`
  const stall =
    stall_s === 0 ? 'no step waits' : `a step waits ${show(seconds(stall_s), 's')} for data: use faster storage, or longer samples`
  return `${reads}; ${loaders}; ${stall}`
}

const shareText = (share: number): string => (share < 0.001 ? 'less than 0.1 %' : showPercent(share))
