// Reads a measured entry back from its document.

import type { Json, JsonObject } from '@ironlaw/catalog'
import type { WorkClass } from '@ironlaw/contracts'
import type { Correction, Corrections } from '@ironlaw/policies/calibration'
import { type BaseUnit, parse } from '@ironlaw/units'

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

export const groupAt = (group: JsonObject | undefined, name: string): JsonObject | undefined => {
  const found = group?.[name]
  return isObject(found) ? found : undefined
}

export function numberAt(figure: Json | undefined, unit: BaseUnit): number | undefined {
  const text = isObject(figure) ? figure['is'] : undefined
  const parsed = typeof text === 'string' ? parse(text, unit) : undefined
  return parsed?.ok ? parsed.value : undefined
}

export function wordAt(group: JsonObject | undefined, name: string): string {
  const found = group?.[name]
  return typeof found === 'string' ? found : ''
}

/** Error of a class before any run was compared: as measured, or as wide as published figures leave it. */
const DEFAULT_SPREAD: Readonly<Record<WorkClass, number>> = { compute: 0.12, communication: 0.3, optimizer: 0.35 }

export const priorOf = (measured: JsonObject | undefined, ranks: number, work: WorkClass): number =>
  numberAt(groupAt(groupAt(groupAt(measured, 'sharing'), String(ranks)), 'uncertainty')?.[work], '1') ?? DEFAULT_SPREAD[work]

export function correctionsOf(measured: JsonObject | undefined): Corrections {
  const byRanks = groupAt(measured, 'corrections') ?? {}
  return Object.fromEntries(
    Object.keys(byRanks).map((ranks) => {
      const classes = groupAt(byRanks, ranks) ?? {}
      return [ranks, Object.fromEntries(Object.keys(classes).flatMap((work) => correctionOf(groupAt(classes, work), work)))]
    }),
  )
}

function correctionOf(written: JsonObject | undefined, work: string): readonly (readonly [string, Correction])[] {
  const [factor, spread, runs] = ['factor', 'spread', 'runs'].map((name) => numberAt(written?.[name], '1'))
  return factor === undefined || spread === undefined || runs === undefined ? [] : [[work, { factor, spread, runs }]]
}
