// The picture of docs/validation/training.md: predicted against measured step time of every scored run.

import type { ScoredRow } from '@ironlaw/planner/validation'
import { seconds, show } from '@ironlaw/units'

const BOX = { left: 74, top: 84, side: 560 }
const RANGE = { low: 0.08, high: 400 }

const along = (time: number): number => (BOX.side * Math.log(time / RANGE.low)) / Math.log(RANGE.high / RANGE.low)
const x = (measured: number): number => BOX.left + along(measured)
const y = (predicted: number): number => BOX.top + BOX.side - along(predicted)
const at = (value: number): string => value.toFixed(1)

const SOURCES = [
  { title: 'Megatron, 2021 to 2023', colour: '#2b59c3', of: ['narayanan-2021', 'korthikanti-2022', 'megascale', 'hagemann', 'bloom'] },
  { title: 'Megatron-Core, NeMo, Bridge', colour: '#1f6f5c', of: ['mcore', 'nemo', 'bridge', 'zoo'] },
  { title: 'MLPerf', colour: '#8a3ab9', of: ['mlperf'] },
  { title: 'FSDP: torchtitan, MPT, fms, Pax', colour: '#b3541e', of: ['torchtitan', 'mpt', 'fms', 'pax'] },
  { title: 'SimuMax', colour: '#0f8fb3', of: ['simumax'] },
  { title: 'nanotron and papers', colour: '#6b7280', of: [] },
] as const

const familyOf = (source: string): (typeof SOURCES)[number] =>
  SOURCES.find(({ of }) => (of as readonly string[]).includes(source)) ?? SOURCES[5]

export function validationPicture(rows: readonly ScoredRow[]): string {
  const heldOut = rows.filter(({ split }) => split === 'heldOut').length
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 660 710" font-family="system-ui, sans-serif" font-size="12" fill="#4a5160">
<rect width="660" height="710" rx="12" fill="#fff"/>
<text x="24" y="30" font-size="16" font-weight="600" fill="#1c2230">Step time of ${rows.length} training runs: predicted against measured</text>
<text x="24" y="49">Filled: ${heldOut} runs held out. Hollow: ${rows.length - heldOut} runs used for calibration. Dashed: 20 % too slow and 20 % too fast.</text>
${[...axes(), ...diagonals(), ...legend(), ...rows.map(dot)].join('\n')}
</svg>
`
}

function dot(row: ScoredRow): string {
  const { colour } = familyOf(row.source)
  const ink =
    row.split === 'heldOut'
      ? `fill="${colour}" fill-opacity="0.7" stroke="#fff" stroke-width="0.8"`
      : `fill="#fff" stroke="${colour}" stroke-width="1.5"`
  return `<circle cx="${at(x(row.measured_s))}" cy="${at(y(row.predicted_s))}" r="4" ${ink}><title>${row.id}: measured ${show(seconds(row.measured_s), 's')}, predicted ${show(seconds(row.predicted_s), 's')}</title></circle>`
}

function axes(): string[] {
  const bottom = BOX.top + BOX.side
  const right = BOX.left + BOX.side
  return [
    ...[0.1, 1, 10, 100].map(
      (time) =>
        `<path d="M${at(x(time))} ${BOX.top}V${bottom}M${BOX.left} ${at(y(time))}H${right}" stroke="#e4e6ea"/><text x="${at(x(time))}" y="${bottom + 18}" text-anchor="middle">${time} s</text><text x="${BOX.left - 8}" y="${at(y(time) + 4)}" text-anchor="end">${time} s</text>`,
    ),
    `<rect x="${BOX.left}" y="${BOX.top}" width="${BOX.side}" height="${BOX.side}" fill="none" stroke="#c9cdd4"/>`,
    `<text x="${BOX.left + BOX.side / 2}" y="${bottom + 40}" text-anchor="middle">measured</text>`,
    `<text transform="translate(22 ${BOX.top + BOX.side / 2}) rotate(-90)" text-anchor="middle">predicted</text>`,
  ]
}

const diagonals = (): string[] =>
  [1, 1.2, 0.8].map((ratio) => {
    const from = Math.max(RANGE.low, RANGE.low / ratio)
    const to = Math.min(RANGE.high, RANGE.high / ratio)
    const dashes = ratio === 1 ? '' : ' stroke-dasharray="4 4"'
    return `<path d="M${at(x(from))} ${at(y(from * ratio))}L${at(x(to))} ${at(y(to * ratio))}" stroke="#8b93a1"${dashes}/>`
  })

const legend = (): string[] =>
  SOURCES.map(({ title, colour }, index) => {
    const top = BOX.top + 22 + 19 * index
    return `<circle cx="${BOX.left + 18}" cy="${top - 4}" r="4.5" fill="${colour}"/><text x="${BOX.left + 30}" y="${top}">${title}</text>`
  })
