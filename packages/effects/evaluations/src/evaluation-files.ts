// An evaluation as a directory.

import { join } from 'node:path'
import { IronlawError, sha256 } from '@ironlaw/contracts'
import { EVALUATION, EVALUATION_FILE, type Evaluation, RESULTS_FILE } from '@ironlaw/contracts/evaluation'
import { type ItemResult, parseItemResults } from '@ironlaw/contracts/evaluation-items'
import { readText } from './prepare.ts'

/** What a judge made of answers that a person had labelled. */
export const LABELLED_FILE = 'labelled.jsonl'
export const resultsFile = (repeat: number): string => (repeat === 1 ? RESULTS_FILE : `results-${repeat}.jsonl`)

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
