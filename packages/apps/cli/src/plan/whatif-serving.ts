// `ironlaw whatif` for a spec of kind Serve: the cheapest deployment at every value of one field.

import type { ServingPlan } from '@ironlaw/contracts'
import { parseServeSpec } from '@ironlaw/contracts/serve-spec'
import { planServing } from '@ironlaw/planner'
import { dollars, seconds, show, showPercent } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { catalogFor } from '../catalog/catalog-source.ts'
import { readDocument } from '../input-file.ts'
import { paint } from '../paint.ts'
import { servingRequestFor } from './serve-source.ts'
import { fieldValues, withField } from './field-values.ts'
import { table } from '../table.ts'
import type { WhatIfFlags } from './whatif.ts'

type Point = { readonly value: string | number; readonly best: ServingPlan | undefined }

export function whatIfServingAnswer(file: string, flags: WhatIfFlags): CommandAnswer {
  const catalog = catalogFor(flags.with)
  const document = readDocument(file)
  const { path, values } = fieldValues(flags.set)
  const points = values.map((value): Point => {
    const { wanted } = servingRequestFor(catalog, parseServeSpec(withField(document, path, value), file), file)
    return { value, best: planServing(catalog, wanted, 1).plans[0] }
  })
  return {
    json: { path, points: points.map(({ value, best }) => ({ value, ...(best && figuresOf(best)) })) },
    text: () => (flags.csv ? csv(path, points) : [plot(path, points), '', verdict(path, points)].join('\n')),
  }
}

const figuresOf = ({ id, accelerator, devices, prediction: p }: ServingPlan) => ({
  plan: id,
  accelerator,
  devices,
  ttft_s: p.ttft_s,
  tpot_s: p.tpot_s,
  usd_per_hour: p.usd_per_hour,
  usd_per_million_tokens: p.usd_per_million_tokens,
  binds: p.binding,
})

const COLUMNS = ['plan', 'accelerator', 'devices', 'ttft_s', 'tpot_s', 'usd_per_hour', 'usd_per_million_tokens', 'binds'] as const

function csv(path: string, points: readonly Point[]): string {
  const rows = points.map(({ value, best }) => {
    const figures = best && figuresOf(best)
    return [value, ...COLUMNS.map((name) => figures?.[name] ?? '')].join(',')
  })
  return [[path, ...COLUMNS].join(','), ...rows].join('\n')
}

const BAR = 40

function plot(path: string, points: readonly Point[]): string {
  const most = Math.max(...points.map(({ best }) => best?.devices ?? 0))
  const rows = points.map(({ value, best }) => {
    if (!best) return [String(value), 'nothing meets the objectives', '', '', '', '', '', '']
    const { devices, accelerator, prediction: p } = best
    return [
      String(value),
      `${devices} x ${accelerator}`,
      show(seconds(p.ttft_s), 's'),
      show(seconds(p.tpot_s), 's'),
      p.usd_per_hour === undefined ? '' : show(dollars(p.usd_per_hour), 'USD'),
      p.usd_per_million_tokens === undefined ? '' : show(dollars(p.usd_per_million_tokens), 'USD'),
      p.binding,
      paint('cyan', '█'.repeat(Math.max(1, Math.round((BAR * devices) / most)))),
    ]
  })
  return table([path, 'devices', 'first token', 'per token', 'per hour', 'per M output tokens', 'held by', ''], rows, [0, 2, 3, 4, 5])
}

function verdict(path: string, points: readonly Point[]): string {
  const found = points.flatMap(({ best }) => best ?? [])
  const [first, last] = [found[0], found.at(-1)]
  if (!first || !last) return 'nothing meets the objectives at any of these values'
  const [from, to] = [first.prediction.usd_per_hour, last.prediction.usd_per_hour]
  if (from !== undefined && to !== undefined && from !== to)
    return `${path} moves the price of an hour by ${showPercent(to / from - 1)} over the range`
  if (first.devices !== last.devices) return `${path} moves the number of devices from ${first.devices} to ${last.devices}`
  return `${path} moves neither devices nor price: ${last.prediction.binding} limits a replica`
}
