// The picture of the README: one model's decoding step against the roofs of several accelerators, drawn from the same
// functions as `ironlaw explain roofline`.

import { accelerator, builtInCatalog } from '@ironlaw/catalog'
import { builtInModel, importConfig } from '@ironlaw/models'
import { show } from '@ironlaw/units'
import { rooflineOf, type Roofline } from 'ironlaw/roofline'
import type { GeneratedFile } from './generated.ts'

const MODEL = 'meta-llama/Llama-3.1-8B'
const ACCELERATORS = [
  ['b200', '#1f6f5c'],
  ['h100-sxm', '#2b59c3'],
  ['l40s', '#b3541e'],
] as const
const SETTING = { precision: 'bf16', context: 2048, batches: [1, 8, 64, 512] } as const

const BOX = { left: 74, top: 64, width: 640, height: 340 }
const INTENSITY = { low: 0.5, high: 20_000 }
const RATE = { low: 3e11, high: 5e15 }

const x = (intensity: number): number =>
  BOX.left + (BOX.width * Math.log(intensity / INTENSITY.low)) / Math.log(INTENSITY.high / INTENSITY.low)
const y = (rate: number): number => BOX.top + (BOX.height * Math.log(RATE.high / rate)) / Math.log(RATE.high / RATE.low)
const at = (value: number): string => value.toFixed(1)

export function rooflinePicture(): GeneratedFile[] {
  const imported = importConfig(builtInModel(MODEL)?.config)
  if (!imported.ok) throw new Error(imported.problem)
  const roofs = ACCELERATORS.map(([id, colour]) => ({
    id,
    colour,
    roofline: rooflineOf(imported.architecture, accelerator(builtInCatalog, id), SETTING),
  }))
  const body = [...axes(), ...roofs.flatMap(({ id, colour, roofline }) => [...roof(id, colour, roofline), ...points(colour, roofline)])]
  return [{ path: 'docs/images/roofline.svg', content: page(body) }]
}

function roof(id: string, colour: string, { peak, bandwidth, ridge }: Roofline): string[] {
  const foot = Math.max(INTENSITY.low, RATE.low / bandwidth.value)
  const line = `M${at(x(foot))} ${at(y(foot * bandwidth.value))}L${at(x(ridge.value))} ${at(y(peak.value))}H${BOX.left + BOX.width}`
  return [
    `<path d="${line}" fill="none" stroke="${colour}" stroke-width="2.5" stroke-linejoin="round"/>`,
    `<text x="${BOX.left + BOX.width - 4}" y="${at(y(peak.value) + 18)}" text-anchor="end" fill="${colour}" font-weight="600">${id}: ${show(peak.value, 'FLOP/s')}, ${show(bandwidth.value, 'B/s')}</text>`,
  ]
}

function points(colour: string, { points: all }: Roofline): string[] {
  return all.map(
    ({ batch, intensity, rate }) =>
      `<circle cx="${at(x(intensity.value))}" cy="${at(y(rate.value))}" r="5" fill="${colour}" stroke="#fff" stroke-width="1.5"><title>batch ${batch}: ${show(intensity.value, 'FLOP/B')}, ${show(rate.value, 'FLOP/s')}</title></circle>`,
  )
}

function axes(): string[] {
  const decades = (low: number, high: number): number[] =>
    Array.from({ length: 40 }, (_, index) => 10 ** (index - 10)).filter((value) => value >= low && value <= high)
  const bottom = BOX.top + BOX.height
  return [
    ...decades(INTENSITY.low, INTENSITY.high).map(
      (value) =>
        `<path d="M${at(x(value))} ${BOX.top}V${bottom}" stroke="#e4e6ea"/><text x="${at(x(value))}" y="${bottom + 20}" text-anchor="middle">${value}</text>`,
    ),
    ...decades(RATE.low, RATE.high).map(
      (value) =>
        `<path d="M${BOX.left} ${at(y(value))}H${BOX.left + BOX.width}" stroke="#e4e6ea"/><text x="${BOX.left - 8}" y="${at(y(value) + 4)}" text-anchor="end">${value >= 1e15 ? `${value / 1e15} PF/s` : `${value / 1e12} TF/s`}</text>`,
    ),
    `<text x="${BOX.left + BOX.width / 2}" y="${bottom + 42}" text-anchor="middle">operations per byte of memory traffic (FLOP/B)</text>`,
  ]
}

const page = (
  body: readonly string[],
): string => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 470" font-family="system-ui, sans-serif" font-size="12" fill="#4a5160">
<rect width="760" height="470" rx="12" fill="#fff"/>
<text x="24" y="30" font-size="16" font-weight="600" fill="#1c2230">Llama-3.1-8B decoding in BF16: what binds, on which accelerator</text>
<text x="24" y="49">Dots: batches of 1, 8, 64 and 512 sequences at 2,048 tokens of context. All lie on the slope, where bandwidth binds.</text>
${body.join('\n')}
</svg>
`
