// Converts a measured engine between its entry in the document and the input of the simulator.

import type { Json, JsonObject } from '@ironlaw/catalog'
import { type Figure, figureOf } from '@ironlaw/policies/calibration'
import type { EngineCosts, FittedEngine } from '@ironlaw/policies/serving'
import type { EngineFactors, MeasuredEngine } from '@ironlaw/simulator/serving'
import { today } from './document.ts'
import type { EngineSetting, EngineStart } from './engine-process.ts'
import { figureEntry } from './entries.ts'
import { groupAt, numberAt } from './read-entry.ts'

/** Tokens of prompts and answers in one step: the default of the engine program. */
const BATCH_TOKENS = 512
const MAD_TO_SIGMA = 1.4826

export type EngineMeasurement = { readonly fitted: FittedEngine; readonly starts: readonly EngineStart[]; readonly on: string }

export function engineEntry({ slots, threads, context }: EngineSetting, { fitted, starts, on }: EngineMeasurement): JsonObject {
  const from = 'calibrate'
  const { costs, heldOut, sharing } = fitted
  const cost = (value: number): JsonObject => ({
    ...figureEntry({ value, spread: MAD_TO_SIGMA * heldOut.median, samples: fitted.rows }, 's', from),
  })
  const phase = (name: keyof EngineStart): JsonObject => ({ ...figureEntry(figureOf(starts.map((start) => start[name])), 's', from) })
  return {
    sources: { [from]: { ref: `ironlaw calibrate engine on ${on}`, date: today() } },
    setting: { slots, threads, context_tokens: context, batch_tokens: BATCH_TOKENS },
    decode: Object.fromEntries(costs.decode.map(({ sequences, seconds }) => [String(sequences), cost(seconds)])),
    decodeKey: cost(costs.decodeKey_s),
    prefillSequence: cost(costs.prefillSequence_s),
    prefillToken: cost(costs.prefillToken_s),
    prefillPair: cost(costs.prefillPair_s),
    request: cost(costs.request_s),
    sharing: Object.fromEntries(sharing.map((figure, index): [string, Json] => [String(index + 1), { ...figureEntry(figure, '1', from) }])),
    start: { process: phase('process_s'), load: phase('load_s'), warm: phase('warm_s') },
    heldOut: {
      median: { ...figureEntry(heldOutFigure(heldOut.median, heldOut.rows), '1', from) },
      total: { ...figureEntry(heldOutFigure(heldOut.total, heldOut.rows), '1', from) },
    },
  }
}

const heldOutFigure = (value: number, samples: number): Figure => ({ value, spread: Number.NaN, samples })

export type SimulatedEngine = MeasuredEngine & { readonly sharing: readonly number[]; readonly coldStart_s: number }

export function simulatedEngine(entry: JsonObject): SimulatedEngine {
  const seconds = (name: string): number => numberAt(entry[name], 's') ?? 0
  const byCount = (name: string, unit: 's' | '1'): readonly { readonly count: number; readonly value: number }[] =>
    Object.entries(groupAt(entry, name) ?? {}).map(([count, figure]) => ({ count: Number(count), value: numberAt(figure, unit) ?? 0 }))
  const setting = (name: string): number => Number(groupAt(entry, 'setting')?.[name])
  const costs: EngineCosts = {
    decode: byCount('decode', 's').map(({ count, value }) => ({ sequences: count, seconds: value })),
    decodeKey_s: seconds('decodeKey'),
    prefillSequence_s: seconds('prefillSequence'),
    prefillToken_s: seconds('prefillToken'),
    prefillPair_s: seconds('prefillPair'),
    request_s: seconds('request'),
  }
  return {
    costs,
    slots: setting('slots'),
    context_tokens: setting('context_tokens'),
    batch_tokens: setting('batch_tokens'),
    sharing: byCount('sharing', '1').map(({ value }) => value),
    coldStart_s: byCount('start', 's').reduce((sum, { value }) => sum + value, 0),
  }
}

const DECODE = ['decodeKey']
const PREFILL = ['prefillSequence', 'prefillToken', 'prefillPair']

export function correctedEntry(entry: JsonObject, { decode, prefill, sharing }: EngineFactors): JsonObject {
  const from = 'replay'
  const scaledFigure = (group: JsonObject, name: string, { unit, by }: { readonly unit: 's' | '1'; readonly by: number }): JsonObject => ({
    ...groupAt(group, name),
    ...figureEntry({ value: by * (numberAt(group[name], unit) ?? 0), spread: Number.NaN, samples: 0 }, unit, from),
  })
  const scaledFigures = (names: readonly string[], by: number): JsonObject =>
    Object.fromEntries(names.map((name) => [name, scaledFigure(entry, name, { unit: 's', by })]))
  const scaledGroup = (name: string, unit: 's' | '1', by: (index: number) => number): JsonObject => {
    const group = groupAt(entry, name) ?? {}
    return Object.fromEntries(Object.keys(group).map((count, index) => [count, scaledFigure(group, count, { unit, by: by(index) })]))
  }
  return {
    ...entry,
    ...scaledFigures(DECODE, decode),
    ...scaledFigures(PREFILL, prefill),
    decode: scaledGroup('decode', 's', () => decode),
    sharing: scaledGroup('sharing', '1', (index) => sharing[index] ?? 1),
    sources: { ...groupAt(entry, 'sources'), [from]: { ref: 'a replay compared with its simulation', date: today() } },
  }
}
