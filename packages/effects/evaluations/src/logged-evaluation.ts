// What another harness logged, as an evaluation: the same directory that a run of our own leaves.

import { join } from 'node:path'
import { sha256 } from '@ironlaw/contracts'
import { type Evaluation, instrumentDigest, RESULTS_FILE } from '@ironlaw/contracts/evaluation'
import { parseItemResults } from '@ironlaw/contracts/evaluation-items'
import type { LoggedEvaluation } from '@ironlaw/contracts/harness-logs'
import { meanScore } from '@ironlaw/policies/evaluation'
import { checkVacant, linesOf, writeDocument, writeWhole } from './evaluation-files.ts'

export async function writeLoggedEvaluation(to: string, { results, ...logged }: LoggedEvaluation): Promise<Evaluation> {
  checkVacant(to)
  const lines = linesOf(results)
  // What cannot be read again is not written: one name for two items, for example.
  parseItemResults(lines, RESULTS_FILE)
  const score = meanScore(results)
  const evaluation: Evaluation = {
    apiVersion: 'ironlaw/v1',
    kind: 'Evaluation',
    ...logged,
    instrument_digest: instrumentDigest(logged.instrument),
    results: sha256(lines),
    score,
    metrics: { [logged.instrument.metric]: score },
    slices: [],
    repeats: { count: 1 },
    tokens_in: results.reduce((sum, { tokens_in }) => sum + tokens_in, 0),
    tokens_out: results.reduce((sum, { tokens_out }) => sum + tokens_out, 0),
  }
  await writeWhole(join(to, RESULTS_FILE), lines)
  await writeDocument(to, evaluation)
  return evaluation
}
