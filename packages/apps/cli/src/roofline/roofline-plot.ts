// The roofline as text: both axes logarithmic, the roof as a line, one letter per batch.

import { quantity, show } from '@ironlaw/units'
import type { Roofline } from './roofline.ts'

const WIDTH = 64
const HEIGHT = 14

export function rooflinePlot({ peak, bandwidth, ridge, points }: Roofline): string {
  const intensities = [...points.map((point) => point.intensity.value), ridge.value]
  const low = 10 ** Math.floor(Math.log10(Math.min(...intensities) / 2))
  const high = 10 ** Math.ceil(Math.log10(Math.max(...intensities) * 2))
  const bottom = Math.min(...points.map((point) => point.rate.value), low * bandwidth.value)
  const column = (intensity: number): number => Math.round(((WIDTH - 1) * Math.log(intensity / low)) / Math.log(high / low))
  const row = (rate: number): number => Math.round(((HEIGHT - 1) * Math.log(peak.value / rate)) / Math.log(peak.value / bottom))
  const grid = Array.from({ length: HEIGHT }, () => Array.from({ length: WIDTH }, () => ' '))
  const put = (x: number, y: number, mark: string): void => {
    const line = grid[y]
    if (line && x >= 0 && x < WIDTH) line[x] = mark
  }
  for (let x = 0; x < WIDTH; x += 1) {
    const intensity = low * (high / low) ** (x / (WIDTH - 1))
    put(x, row(Math.min(peak.value, intensity * bandwidth.value)), intensity < ridge.value ? '·' : '─')
  }
  points.forEach((point, index) => put(column(point.intensity.value), row(point.rate.value), mark(index)))
  const label = show(peak.value, 'FLOP/s')
  const axis = `${show(quantity(low, 'FLOP/B'), 'FLOP/B')}${' '.repeat(WIDTH - 24)}${show(quantity(high, 'FLOP/B'), 'FLOP/B')}`
  return [label, ...grid.map((line) => `│${line.join('').trimEnd()}`), `└${'─'.repeat(WIDTH)}`, ` ${axis}`].join('\n')
}

export const mark = (index: number): string => String.fromCodePoint(65 + index)
