// `ironlaw evaluate import`: what other programs wrote, as items, or as an evaluation where it holds scores.

import { writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { IronlawError, systemError } from '@ironlaw/contracts'
import { itemsOfLmEvalSamples } from '@ironlaw/contracts/evaluation-imports'
import type { EvaluationItem } from '@ironlaw/contracts/evaluation-items'
import { inspectEvaluation, lmEvalEvaluation, type LoggedEvaluation } from '@ironlaw/contracts/harness-logs'
import { programItems } from '@ironlaw/contracts/program-imports'
import { writeLoggedEvaluation } from '@ironlaw/evaluations'
import { counted } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { readText } from '../input-file.ts'
import { evaluationText } from './run.ts'

const ITEM_FORMATS = ['humaneval', 'mbpp', 'lm-eval'] as const
const LOG_FORMATS = ['inspect', 'lm-eval-results'] as const
type ItemFormat = (typeof ITEM_FORMATS)[number]
type LogFormat = (typeof LOG_FORMATS)[number]

export type ImportFlags = { readonly from: string; readonly to?: string; readonly metric?: string }

export async function importAnswer(file: string, flags: ImportFlags): Promise<CommandAnswer> {
  const { from, to, metric } = flags
  const log = LOG_FORMATS.find((each) => each === from)
  if (log) return await importedEvaluation(loggedEvaluation(file, log, metric), to)
  const format = ITEM_FORMATS.find((each) => each === from)
  if (!format) throw usageError(`--from ${from}: expected one of ${[...ITEM_FORMATS, ...LOG_FORMATS].join(', ')}`)
  if (metric !== undefined) throw usageError(`--metric: items have none; it goes with --from ${LOG_FORMATS.join(' or ')}`)
  return importedItems(file, format, to)
}

const usageError = (problem: string): IronlawError => new IronlawError('IL_USAGE', { problem, command: 'evaluate import' })

function importedItems(file: string, format: ItemFormat, to = 'items.jsonl'): CommandAnswer {
  const items = itemsFrom(readRows(file), format, file)
  const [first] = items
  if (!first) throw new IronlawError('IL_SPEC', { file, path: '(file)', problem: 'holds no rows' })
  writeNew(to, items.map((item) => `${JSON.stringify({ ...item, kind: undefined })}\n`).join(''))
  return {
    json: { to, task: first.kind, items: items.length },
    text: () => `${counted(items.length, 'item')} of task ${first.kind} in ${to}`,
  }
}

async function importedEvaluation(logged: LoggedEvaluation, to = directoryName(logged.name)): Promise<CommandAnswer> {
  const evaluation = await writeLoggedEvaluation(to, logged)
  return { json: { to, evaluation }, text: () => evaluationText(evaluation, to) }
}

/** A task is called what its log says, which may look like a path. */
const directoryName = (task: string): string => task.replaceAll(/[^\w-]+/g, '-').replaceAll(/^-+|-+$/g, '') || 'imported'

function loggedEvaluation(file: string, format: LogFormat, metric: string | undefined): LoggedEvaluation {
  if (format === 'inspect') return inspectEvaluation(readJson(file), file, metric)
  const [, task, at] = LM_EVAL_SAMPLES.exec(basename(file)) ?? []
  if (task === undefined || at === undefined)
    throw usageError(`${file}: the samples that lm-evaluation-harness logged are called samples_TASK_DATE.jsonl`)
  const results = join(dirname(file), `results_${at}.json`)
  return lmEvalEvaluation({ samples: readRows(file), results: readJson(results), files: { samples: file, results } }, task, metric)
}

const LM_EVAL_SAMPLES = /^samples_(.+)_(\d{4}-\d{2}-\d{2}T.+)\.jsonl$/

function readJson(file: string): unknown {
  if (file.endsWith('.eval'))
    throw new IronlawError(
      'IL_DOCUMENT',
      { path: file, reason: 'it is a binary log of Inspect' },
      { next: 'convert it: "inspect log convert FILE --to json --output-dir DIRECTORY"' },
    )
  return jsonOf(readText(file), file)
}

function itemsFrom(rows: readonly unknown[], format: ItemFormat, file: string): readonly EvaluationItem[] {
  switch (format) {
    case 'humaneval':
    case 'mbpp':
      return programItems(rows, format, file)
    case 'lm-eval':
      return itemsOfLmEvalSamples(rows, file).items
  }
}

/** JSON lines, or one list. */
function readRows(file: string): readonly unknown[] {
  const content = readText(file)
  const parts = content.trimStart().startsWith('[') ? [content] : content.split('\n')
  return parts.flatMap((part, index): readonly unknown[] => {
    if (part.trim() === '') return []
    const value = jsonOf(part, `${file}:${index + 1}`)
    return Array.isArray(value) ? value : [value]
  })
}

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const problem = `is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`
    throw new IronlawError('IL_SPEC', { file, path: '(line)', problem }, { cause })
  }
}

/** Never over items that an evaluation may have been made of. */
function writeNew(to: string, content: string): void {
  try {
    writeFileSync(to, content, { flag: 'wx' })
  } catch (cause) {
    throw systemError(cause) ?? cause
  }
}
