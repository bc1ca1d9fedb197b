// All accelerators in one chart: arithmetic against memory, with lines of constant ratio.

import { type Accelerator, builtInCatalog, usualPeak } from '@ironlaw/catalog'
import { bytes, bytesPerSecond, flopPerSecond, show } from '@ironlaw/units'
import type { ReactNode } from 'react'
import { Dot, type Frame, pathOf, Plot } from '../charts/plot.tsx'
import { extent } from '../charts/scale.ts'
import { Card } from '../ui/card.tsx'

/** FLOP per byte where both roofs meet. */
const RIDGES = [10, 100, 1000]

/** Microcontrollers and edge devices are so far off that they would squeeze all others into a corner; they are in the list. */
const LEAST_BANDWIDTH = 100e9

type DevicePoint = { readonly device: Accelerator; readonly bandwidth: number; readonly peak: number; readonly precision: string }

export type AcceleratorsProps = { readonly chosen: readonly (string | undefined)[]; readonly onPick: (id: string) => void }

export function Accelerators({ chosen, onPick }: AcceleratorsProps): ReactNode {
  const placed = [...builtInCatalog.accelerators.values()].flatMap((device): DevicePoint[] => {
    const usual = usualPeak(device)
    return usual && device.facts.memory.bandwidth.value >= LEAST_BANDWIDTH
      ? [{ device, bandwidth: device.facts.memory.bandwidth.value, peak: usual.peak.value, precision: usual.precision }]
      : []
  })
  const x = extent(
    placed.map(({ bandwidth }) => bandwidth),
    { kind: 'log', room: 0.04 },
  )
  const y = extent(
    placed.map(({ peak }) => peak),
    { kind: 'log', room: 0.04 },
  )
  return (
    <Card
      title="Arithmetic against memory"
      wide
      about="Dense peak in the usual training precision against memory bandwidth; the area is the memory size. A dashed line is one ratio of arithmetic to bandwidth: accelerators above it become memory-bound sooner."
    >
      <Plot
        label={`${placed.length} accelerators, peak against memory bandwidth`}
        height={360}
        x={{ name: 'memory bandwidth', kind: 'log', domain: x, format: (value) => show(bytesPerSecond(value), 'B/s') }}
        y={{ kind: 'log', domain: y, format: (value) => show(flopPerSecond(value), 'FLOP/s'), name: 'FLOP/s' }}
        series={placed.map(({ device, bandwidth, peak }) => ({ name: device.name, points: [[bandwidth, peak]] }))}
        marksTell
      >
        {(frame) => (
          <>
            <Ridges frame={frame} x={x} y={y} />
            {placed.map(({ device, bandwidth, peak, precision }) => (
              <Dot
                key={device.id}
                at={[bandwidth, peak]}
                radius={Math.min(17, Math.max(4, 2.1 * Math.sqrt(device.facts.memory.capacity.value / 4e9)))}
                className={chosen.includes(device.id) ? 'fill-accent faint' : 'fill-work faint'}
                frame={frame}
                tip={[
                  device.name,
                  `${show(flopPerSecond(peak), 'FLOP/s')} ${precision}, ${show(bytesPerSecond(bandwidth), 'B/s')}`,
                  show(bytes(device.facts.memory.capacity.value), 'B'),
                ]}
                onPick={() => onPick(device.id)}
              />
            ))}
          </>
        )}
      </Plot>
    </Card>
  )
}

type RidgesProps = { readonly frame: Frame; readonly x: readonly [number, number]; readonly y: readonly [number, number] }

const Ridges = ({ frame, x, y }: RidgesProps): ReactNode => (
  <>
    <clipPath id="inside">
      <rect width={frame.width} height={frame.height} />
    </clipPath>
    {RIDGES.map((ridge) => {
      const at = Math.max(x[0], y[0] / ridge)
      const line = pathOf(
        x.map((bandwidth) => [bandwidth, ridge * bandwidth] as const),
        frame,
      )
      return (
        <g key={ridge}>
          <path className="front" clipPath="url(#inside)" d={line} />
          <text className="dot-name" x={frame.x(at) + 44} y={frame.y(ridge * at) - 1}>
            {ridge} FLOP/B
          </text>
        </g>
      )
    })}
  </>
)
