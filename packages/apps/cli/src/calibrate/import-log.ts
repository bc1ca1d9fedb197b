// Turns a training log into measured entries: what the run reached per device and, given its plan, the error of the prediction.

import { type Catalog, accelerator as acceleratorOf, type JsonObject, usualPeak } from '@ironlaw/catalog'
import { IronlawError } from '@ironlaw/contracts'
import { comparedRun, figureOf, type TrainingLog, parseTrainingLog } from '@ironlaw/policies/calibration'
import { basename } from 'node:path'
import { readTrainingPlan } from '../plan/plan-file.ts'
import { today } from './document.ts'
import { mergedEntry, figureEntry } from './entries.ts'
import { type LearnedCorrections, correctionsFromRuns } from './corrections-from-runs.ts'

type LogImport = {
  readonly file: string
  readonly text: string
  readonly accelerator: string
  readonly plan?: string
  /** Why nothing else was learned. */
  readonly otherwise: string
}

export type ImportedEntry = Pick<LearnedCorrections, 'finished' | 'notes'> & { readonly entry: JsonObject }

export function importedLog(catalog: Catalog, { file, text, accelerator, plan, otherwise }: LogImport): ImportedEntry {
  const found = parseTrainingLog(text)
  if (!found.ok) throw importError(file, `${found.reason}; and as output of nccl-tests: ${otherwise}`)
  const { log } = found
  const entry = trainedEntry(catalog, { log, file, accelerator })
  if (plan === undefined) {
    const reason = 'without --plan the prediction is not corrected: a log alone does not say what was trained'
    return { entry, finished: [], notes: [reason] }
  }
  const lesson = learnedFromLog(log, { file, plan, accelerator })
  return { ...lesson, entry: mergedEntry(lesson.entries['accelerators']?.[accelerator] ?? {}, entry) }
}

type Logged = { readonly log: TrainingLog; readonly file: string; readonly accelerator: string }

function trainedEntry(catalog: Catalog, { log, file, accelerator }: Logged): JsonObject {
  const from = `${log.by} log`
  const rates = log.steps.flatMap(({ flop_per_s }) => flop_per_s ?? [])
  const memory = log.steps.flatMap(({ memory_bytes }) => memory_bytes ?? [])
  const rate = rates.length > 0 ? figureOf(rates) : undefined
  const peak = usualPeak(acceleratorOf(catalog, accelerator))?.peak.value ?? Infinity
  if (rate && rate.value > peak)
    throw importError(file, `${(rate.value / 1e12).toFixed(0)} TFLOP/s per device is more than ${accelerator} has`)
  return {
    sources: { [from]: { ref: `${log.by} log ${basename(file)}, ${log.steps.length} steps`, date: today() } },
    measured: {
      on: basename(file),
      software: log.by,
      ...(rate && {
        trained: {
          rate: figureEntry(rate, 'FLOP/s', from),
          ...(memory.length > 0 && { memory: figureEntry(figureOf(memory), 'B', from) }),
        },
      }),
    },
  }
}

function learnedFromLog(
  log: TrainingLog,
  { file, plan, accelerator }: { readonly file: string; readonly plan: string; readonly accelerator: string },
): LearnedCorrections {
  const predicted = readTrainingPlan(plan)
  const { fleet, sequence, globalBatch } = predicted
  if (fleet.accelerator !== accelerator) throw importError(plan, `the plan is for ${fleet.accelerator}, not ${accelerator}`)
  const steps = log.steps.flatMap(({ step, seconds, tokens_per_s }) => {
    const time = seconds ?? (tokens_per_s === undefined ? undefined : (sequence * globalBatch) / (tokens_per_s * fleet.devices))
    return time === undefined ? [] : [{ step, seconds: time, world: fleet.devices, phases_s: {} }]
  })
  const compared = comparedRun({ run: basename(file), plan: predicted, steps })
  if (!compared.ok) throw importError(file, compared.reason)
  return correctionsFromRuns([{ ...compared, accelerator, checkpoints: [], nodes: 1 }])
}

const importError = (file: string, problem: string): IronlawError =>
  new IronlawError('IL_USAGE', { problem: `${file}: ${problem}`, command: 'calibrate' })
