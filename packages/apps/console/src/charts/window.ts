// The part of an axis that is seen, in shares of the whole: zoomed about a point, moved, or chosen.

import { moved, zoomed } from './gantt-window.ts'
import type { ScaleKind } from './scale.ts'

export type Seen = readonly [from: number, to: number]

export const WHOLE: Seen = [0, 1]

export function zoomSeen([from, to]: Seen, factor: number, at: number): Seen {
  const window = zoomed({ from, to }, { span: 1, factor, at })
  return [window.from, window.to]
}

export function moveSeen([from, to]: Seen, share: number): Seen {
  const window = moved({ from, to }, 1, share)
  return [window.from, window.to]
}

/** Both in shares of what is seen. */
export function chooseSeen([from, to]: Seen, [first, second]: readonly [number, number]): Seen {
  const within = (share: number): number => from + (to - from) * Math.max(0, Math.min(1, share))
  return [within(Math.min(first, second)), within(Math.max(first, second))]
}

type Domain = readonly [number, number]

/** The values that a part of an axis shows. */
export function seenDomain([low, high]: Domain, kind: ScaleKind, [from, to]: Seen): Domain {
  if (kind !== 'log') return [low + (high - low) * from, low + (high - low) * to]
  const ratio = high / low
  return [low * ratio ** from, low * ratio ** to]
}
