// `ironlaw calibrate engine`: time for prompts and answers of an engine on this machine, alone and alongside others, and to start.

import { cpus, hostname } from 'node:os'
import { basename } from 'node:path'
import type { JsonObject } from '@ironlaw/catalog'
import { IronlawError } from '@ironlaw/contracts'
import { fitEngine } from '@ironlaw/policies/serving'
import type { EngineFactors } from '@ironlaw/simulator/serving'
import { seconds, show, showPercent } from '@ironlaw/units'
import * as z from 'zod'
import type { CommandAnswer } from '../answer.ts'
import { readDocument } from '../input-file.ts'
import { paint } from '../paint.ts'
import { table } from '../table.ts'
import { wholeNumber } from '../whole-number.ts'
import { correctedEntry, engineEntry, simulatedEngine } from './engine-entry.ts'
import { BATCHES, readEngines } from './engine-readings.ts'
import { findEngine, writeEngine } from './engine-source.ts'
import { figureTextAt } from './text.ts'
import { groupAt, numberAt } from './read-entry.ts'

const COMMAND = 'calibrate engine'

export type EngineFlags = {
  readonly model?: string
  readonly as?: string
  readonly copies: string
  readonly slots: string
  readonly threads: string
  readonly context: string
  readonly seconds: string
  readonly correct?: string
}

export async function calibrateEngine(flags: EngineFlags): Promise<CommandAnswer> {
  const { model = '', as: id = basename(model, '.gguf') } = flags
  if (flags.correct !== undefined)
    return saveEngine(id, correctedEntry(findEngine({ flag: '--as', id, command: COMMAND }).entry, readFactors(flags.correct)))
  if (id === '') throw new IronlawError('IL_USAGE', { problem: '--model: name the model to measure', command: COMMAND })
  return saveEngine(id, await measureEntry(id, model, flags))
}

function saveEngine(id: string, entry: JsonObject): CommandAnswer {
  const { number, file } = writeEngine(id, entry, COMMAND)
  return { json: { version: number, file, id, entry, engine: simulatedEngine(entry) }, text: () => engineText(id, entry) }
}

const factor = z.number().positive()
const FACTORS = z.object({ decode: factor, prefill: factor, sharing: z.array(factor) })

function readFactors(file: string): EngineFactors {
  const read = FACTORS.safeParse(readDocument(file))
  if (!read.success) throw new IronlawError('IL_FILE', { path: file, reason: 'expected { decode, prefill, sharing: [] }, factors above 0' })
  return read.data
}

async function measureEntry(id: string, model: string, flags: EngineFlags): Promise<JsonObject> {
  const setting = {
    model,
    id,
    slots: wholeNumber('--slots', flags.slots),
    threads: wholeNumber('--threads', flags.threads),
    context: wholeNumber('--context', flags.context),
  }
  const effort = { copies: wholeNumber('--copies', flags.copies), round_s: wholeNumber('--seconds', flags.seconds) }
  const { readings, starts } = await readEngines(setting, effort, (text) => process.stderr.write(`measured: ${text}\n`))
  const fitted = fitEngine(
    readings,
    BATCHES.filter((batch) => batch <= setting.slots),
  )
  const on = `${hostname()} (${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown'})`
  return engineEntry(setting, { fitted, starts, on })
}

export function engineText(id: string, entry: JsonObject): string {
  const group = (name: string): JsonObject => groupAt(entry, name) ?? {}
  const rows = Object.entries(group('decode')).map(([count, figure]) => [`${count} at a time`, figureTextAt(figure, 's')])
  const costs = [
    ['each key read', figureTextAt(entry['decodeKey'], 's')],
    ['a prompt', figureTextAt(entry['prefillSequence'], 's')],
    ['each of its tokens', figureTextAt(entry['prefillToken'], 's')],
    ['each pair of them', figureTextAt(entry['prefillPair'], 's')],
    ['request overhead outside steps', figureTextAt(entry['request'], 's')],
  ]
  const sharing = Object.entries(group('sharing')).map(([count, figure]) => [`${count} engines busy`, `${figureTextAt(figure, '1')} times`])
  const start = group('start')
  const cold_s = ['process', 'load', 'warm'].reduce((sum, phase) => sum + (numberAt(start[phase], 's') ?? 0), 0)
  const held = group('heldOut')
  const heldOutPercent = (name: string): string => showPercent(numberAt(held[name], '1') ?? Number.NaN)
  return [
    paint('bold', id),
    table(['a step', 'takes'], [...rows, ...costs, ...sharing], [1]),
    `starts in ${show(seconds(cold_s), 's')}: process ${figureTextAt(start['process'], 's')}, model ${figureTextAt(start['load'], 's')}, warm-up ${figureTextAt(start['warm'], 's')}`,
    `steps held out, 0.05 s at a time: off by ${heldOutPercent('median')} in the median, their sum by ${heldOutPercent('total')}`,
  ].join('\n')
}
