// An evaluation as a directory.

import { existsSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { IronlawError, sha256 } from '@ironlaw/contracts'
import { EVALUATION, EVALUATION_FILE, type Evaluation, RESULTS_FILE } from '@ironlaw/contracts/evaluation'
import { type ItemResult, parseItemResults } from '@ironlaw/contracts/evaluation-items'
import { readText } from './prepare.ts'

/** What a judge made of answers that a person had labelled. */
export const LABELLED_FILE = 'labelled.jsonl'
export const resultsFile = (repeat: number): string => (repeat === 1 ? RESULTS_FILE : `results-${repeat}.jsonl`)

export const linesOf = (results: readonly ItemResult[]): string => results.map((result) => `${JSON.stringify(result)}\n`).join('')

/** An evaluation is never written over. */
export function checkVacant(directory: string): void {
  if (existsSync(join(directory, EVALUATION_FILE)))
    throw new IronlawError('IL_CONFLICT', {
      problem: `${directory} holds an evaluation already`,
      next: 'write this one to another directory with --to, or remove it',
    })
}

/** Appears under its name only when it is whole. */
export async function writeWhole(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(`${path}.new`, content)
  await rename(`${path}.new`, path)
}

/** The document comes last: without it there is no evaluation. */
export const writeDocument = async (directory: string, evaluation: Evaluation): Promise<void> =>
  await writeWhole(join(directory, EVALUATION_FILE), `${JSON.stringify(evaluation, undefined, 2)}\n`)

export type ReadEvaluation = { readonly evaluation: Evaluation; readonly results: readonly ItemResult[] }

export async function readEvaluation(directory: string): Promise<ReadEvaluation> {
  const path = join(directory, EVALUATION_FILE)
  const parsed = EVALUATION.safeParse(jsonOf(await readText(path)))
  if (!parsed.success) throw documentError(path, 'it is not an evaluation')
  const from = join(directory, resultsFile(1))
  const lines = await readText(from)
  if (sha256(lines) !== parsed.data.results) throw documentError(from, 'it was changed after the evaluation')
  return { evaluation: parsed.data, results: parseItemResults(lines, from) }
}

function jsonOf(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    // What is not JSON is not an evaluation, which is said.
    return undefined
  }
}

const documentError = (path: string, reason: string): IronlawError =>
  new IronlawError('IL_DOCUMENT', { path, reason }, { next: 'write it again with "ironlaw evaluate run SPEC --to DIRECTORY"' })
