// Measured figures in the format of a catalog file, merged over what earlier calibrations wrote.

import type { Json, JsonObject } from '@ironlaw/catalog'
import type { BaseUnit } from '@ironlaw/units'
import type { Collective, Corrections, Figure, MeasuredMachine, SharedNode, Storage } from '@ironlaw/policies/calibration'

export type FigureEntry = { readonly is: string; readonly from: string; readonly spread?: number; readonly samples?: number }

const DIGITS = 6
const roundedSpread = (value: number): number => Number(value.toPrecision(3))

/** As written in a file. Quantities without a unit are bare numbers. */
export const figureText = (value: number, unit: BaseUnit): string => `${Number(value.toPrecision(DIGITS))}${unit === '1' ? '' : ` ${unit}`}`

export function figureEntry(figure: Figure, unit: BaseUnit, from: string): FigureEntry {
  const known = Number.isFinite(figure.spread) && figure.samples > 0
  return { is: figureText(figure.value, unit), from, ...(known && { spread: roundedSpread(figure.spread), samples: figure.samples }) }
}

type Fields = { readonly [name: string]: Json | undefined }

/** Drops absent fields. */
const object = (fields: Fields): JsonObject =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

const optionalFigure = (figure: Figure | undefined, unit: BaseUnit, from: string): FigureEntry | undefined =>
  figure && figureEntry(figure, unit, from)

export function machineEntry({ sharing, across, nodeSpread }: MeasuredMachine, from: string): JsonObject {
  return object({
    nodeSpread: optionalFigure(nodeSpread, '1', from),
    sharing: Object.keys(sharing).length === 0 ? undefined : mapValues(sharing, (node) => sharedEntry(node, from)),
    across: Object.keys(across).length === 0 ? undefined : mapValues(across, (collectives) => collectivesEntry(collectives, from)),
  })
}

const mapValues = <T>(from: Readonly<Record<string, T>>, make: (value: T) => JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(from).map(([name, value]) => [name, make(value)]))

function sharedEntry({ products, attention, vector, copy, staging, optimizer, launch, collectives }: SharedNode, from: string): JsonObject {
  return object({
    products:
      products &&
      object({
        start: optionalFigure(products.start_s, 's', from),
        rate: optionalFigure(products.flop, 'FLOP/s', from),
        ramp: optionalFigure(products.ramp, '1', from),
        bandwidth: optionalFigure(products.bytes, 'B/s', from),
      }),
    attention:
      attention &&
      object({
        start: optionalFigure(attention.start_s, 's', from),
        rate: optionalFigure(attention.flop, 'FLOP/s', from),
        bandwidth: optionalFigure(attention.bytes, 'B/s', from),
        backward: optionalFigure(attention.backward, '1', from),
      }),
    vector: optionalFigure(vector, 'B/s', from),
    copy: optionalFigure(copy, 'B/s', from),
    staging: staging && { start: figureEntry(staging.start_s, 's', from), bandwidth: figureEntry(staging.bytes, 'B/s', from) },
    optimizer: optionalFigure(optimizer, '1/s', from),
    launch: launch && { forward: figureEntry(launch.forward_s, 's', from), backward: figureEntry(launch.backward_s, 's', from) },
    collectives: collectives && collectivesEntry(collectives, from),
    uncertainty: uncertaintyEntry({ products, attention, vector, optimizer, collectives }, from),
  })
}

const collectivesEntry = (collectives: Readonly<Partial<Record<string, Collective>>>, from: string): JsonObject =>
  object(
    Object.fromEntries(
      Object.entries(collectives).map(([name, found]) => [
        name,
        found && { alpha: figureEntry(found.alpha_s, 's', from), bus: figureEntry(found.bytes, 'B/s', from) },
      ]),
    ),
  )

/** Programs differ in how they implement an optimizer and in what they exchange, so the measured one does not stand for theirs. */
const OTHER_PROGRAM = { compute: 0.07, communication: 0.2, optimizer: 0.35 } as const

type Readings = { readonly [K in 'products' | 'attention' | 'vector' | 'optimizer' | 'collectives']: SharedNode[K] | undefined }

function uncertaintyEntry({ products, attention, vector, optimizer, collectives }: Readings, from: string): JsonObject | undefined {
  const mean = (figures: readonly (Figure | undefined)[]): number | undefined => {
    const known = figures.flatMap((figure) => (figure ? [figure.spread] : []))
    return known.length === 0 ? undefined : Math.hypot(...known) / Math.sqrt(known.length)
  }
  const classes = {
    compute: mean([products?.start_s, attention?.start_s, vector]),
    communication: mean(Object.values(collectives ?? {}).map((found) => found?.bytes)),
    optimizer: mean([optimizer]),
  }
  const entries = Object.entries(OTHER_PROGRAM).flatMap(([name, other]) => {
    const own = Object.entries(classes).find(([known]) => known === name)?.[1]
    return own === undefined ? [] : [[name, { is: figureText(roundedSpread(Math.hypot(own, other)), '1'), from }] as const]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

export const storageEntry = ({ read, write, latency_s }: Storage, from: string): JsonObject => ({
  perClient: { read: figureEntry(read, 'B/s', from), write: figureEntry(write, 'B/s', from) },
  latency: figureEntry(latency_s, 's', from),
})

export const correctionsEntry = (corrections: Corrections, from: string): JsonObject =>
  mapValues(corrections, (classes) =>
    object(
      Object.fromEntries(
        Object.entries(classes).map(([name, { factor, spread, runs }]) => [
          name,
          {
            factor: { is: figureText(factor, '1'), from },
            spread: { is: figureText(spread, '1'), from },
            runs: { is: String(runs), from },
          },
        ]),
      ),
    ),
  )

/** Objects are merged field by field; anything else replaces the value below it, figures as a whole. */
export function mergedEntry(below: JsonObject, above: JsonObject): JsonObject {
  const joined = Object.entries(above).map(([name, value]): [string, Json] => {
    const before = below[name]
    return [name, isGroup(before) && isGroup(value) ? mergedEntry(before, value) : value]
  })
  return { ...below, ...Object.fromEntries(joined) }
}

const isGroup = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !('is' in value)
