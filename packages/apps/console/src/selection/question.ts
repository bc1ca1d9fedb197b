// The question of whether selecting data pays: every control of the page, as in the address, and the case that it describes.

import { builtInCatalog, usualPeak } from '@ironlaw/catalog'
import type { SelectionCase } from '@ironlaw/planner'
import { parse, quantity, show } from '@ironlaw/units'
import { type State, text, wholeNumber } from '../address.ts'

export const SELECTION = {
  params: wholeNumber(7e9),
  /** Tokens of the pool. */
  tokens: wholeNumber(200e9),
  /** Percent of the pool. */
  keep: wholeNumber(30),
  epochs: wholeNumber(1),
  proxy: wholeNumber(125e6),
  proxyEpochs: wholeNumber(0),
  scorings: wholeNumber(1),
  accelerator: text('h100-sxm'),
  devices: wholeNumber(64),
  why: text(''),
} as const

export type SelectionQuestion = State<typeof SELECTION>

/** Of peak, for scoring and training alike. */
const EFFICIENCY = 0.4

export const ACCELERATORS = [...builtInCatalog.accelerators.values()].filter((each) => usualPeak(each) !== undefined)

const between = (least: number, value: number, most: number): number => Math.min(most, Math.max(least, value))

/** What an address says beyond what is possible counts as the nearest that is. */
export function caseOf(question: SelectionQuestion): SelectionCase {
  const device = builtInCatalog.accelerators.get(question.accelerator) ?? builtInCatalog.accelerators.get(SELECTION.accelerator.fallback)
  return {
    params: Math.max(1, question.params),
    tokens: Math.max(1, question.tokens),
    keep: between(1, question.keep, 100) / 100,
    epochs: Math.max(1, question.epochs),
    proxy: { params: Math.max(1, question.proxy), epochs: question.proxyEpochs, scorings: Math.max(1, question.scorings) },
    machine: {
      devices: Math.max(1, question.devices),
      peak_flops: (device && usualPeak(device)?.peak.value) ?? 1e15,
      efficiency: EFFICIENCY,
    },
  }
}

/** Short where nothing is lost by it: 7B. */
function countText(value: number): string {
  const short = show(quantity(value, '1'), '1')
  const read = parse(short, '1')
  return read.ok && read.value === value ? short : String(value)
}

/** The same on the command line. */
export const commandOf = ({
  params,
  tokens,
  keep,
  epochs,
  proxy,
  proxyEpochs,
  scorings,
  accelerator,
  devices,
}: SelectionQuestion): string =>
  [
    `ironlaw data worth --model ${countText(params)} --tokens ${countText(tokens)} --keep "${keep} %" --epochs ${epochs} --proxy ${countText(proxy)}`,
    ...(proxyEpochs > 0 ? [`--proxy-epochs ${proxyEpochs}`] : []),
    ...(scorings > 1 ? [`--scorings ${scorings}`] : []),
    `--on ${accelerator} --gpus ${devices}`,
  ].join(' ')
