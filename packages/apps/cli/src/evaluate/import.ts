// `ironlaw evaluate import`: what other programs wrote, as items.

import { writeFileSync } from 'node:fs'
import { IronlawError, systemError } from '@ironlaw/contracts'
import { itemsOfLmEvalSamples } from '@ironlaw/contracts/evaluation-imports'
import type { EvaluationItem } from '@ironlaw/contracts/evaluation-items'
import { programItems } from '@ironlaw/contracts/program-imports'
import { counted } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { readText } from '../input-file.ts'

const IMPORT_FORMATS = ['humaneval', 'mbpp', 'lm-eval'] as const
type ImportFormat = (typeof IMPORT_FORMATS)[number]

export type ImportFlags = { readonly from: string; readonly to: string }

export function importAnswer(file: string, { from, to }: ImportFlags): CommandAnswer {
  const format = IMPORT_FORMATS.find((each) => each === from)
  if (!format) {
    const problem = `--from ${from}: expected one of ${IMPORT_FORMATS.join(', ')}`
    throw new IronlawError('IL_USAGE', { problem, command: 'evaluate import' })
  }
  const items = itemsFrom(readRows(file), format, file)
  const [first] = items
  if (!first) throw new IronlawError('IL_SPEC', { file, path: '(file)', problem: 'holds no rows' })
  writeNew(to, items.map((item) => `${JSON.stringify({ ...item, kind: undefined })}\n`).join(''))
  return {
    json: { to, task: first.kind, items: items.length },
    text: () => `${counted(items.length, 'item')} of task ${first.kind} in ${to}`,
  }
}

function itemsFrom(rows: readonly unknown[], format: ImportFormat, file: string): readonly EvaluationItem[] {
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
