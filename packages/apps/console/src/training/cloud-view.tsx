// Every strategy that fits, time against memory: how far ahead the best is, and what a smaller footprint costs.

import { bytes, seconds, show } from '@ironlaw/units'
import { memo, type ReactNode, useCallback, useMemo } from 'react'
import { Scatter } from '../charts/scatter.tsx'
import { Card, Empty } from '../ui/card.tsx'
import type { Cloud } from './answer.ts'

const Points = memo(({ cloud }: { readonly cloud: Cloud }): ReactNode => {
  const { step_s, memory_bytes, names } = cloud
  const axes = useMemo(() => ({ x: rangeOf(step_s), y: rangeOf(memory_bytes) }), [step_s, memory_bytes])
  const told = useCallback(
    (at: number): readonly string[] => [names[at] ?? '', `${showTime(step_s[at] ?? 0)} a step, ${size(memory_bytes[at] ?? 0)}`],
    [names, step_s, memory_bytes],
  )
  return (
    <Scatter
      label={`${step_s.length} strategies, time of a step against memory`}
      height={330}
      x={{ name: 'time of a step', kind: 'linear', domain: axes.x, format: showTime }}
      y={{ name: 'memory of a device', kind: 'linear', domain: axes.y, format: size }}
      xs={step_s}
      ys={memory_bytes}
      told={told}
    />
  )
})

export const CloudView = memo(({ cloud, busy }: { readonly cloud: Cloud | undefined; readonly busy: boolean }): ReactNode => (
  <Card
    title="Every strategy that fits"
    wide
    busy={busy}
    about={cloud && `${cloud.step_s.length.toLocaleString('en')} points; the best is far left. Ctrl and wheel to zoom, drag to move.`}
  >
    {cloud && cloud.step_s.length > 0 ? <Points cloud={cloud} /> : <Empty>{cloud ? 'None fits.' : 'Searching…'}</Empty>}
  </Card>
))

const showTime = (value: number): string => show(seconds(value), 's')
const size = (value: number): string => show(bytes(value), 'B')

/** The slowest strategies would stretch the axis, so only the fastest 95 % are shown. */
function rangeOf(values: Float64Array): readonly [number, number] {
  const sorted = values.toSorted()
  const low = sorted[0] ?? 0
  const high = sorted[Math.floor(0.95 * (sorted.length - 1))] ?? low
  const room = 0.05 * (high - low || low || 1)
  return [Math.max(0, low - room), high + room]
}
