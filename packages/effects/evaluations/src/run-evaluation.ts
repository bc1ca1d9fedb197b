// All items asked, scored and written: evaluation.json and results.jsonl, with results-2.jsonl and so on for repeats.

import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { IronlawError, sha256 } from '@ironlaw/contracts'
import { type Evaluation, EVALUATION_FILE, instrumentDigest } from '@ironlaw/contracts/evaluation'
import { ITEM_TEXTS_FILE, type ItemResult } from '@ironlaw/contracts/evaluation-items'
import { differingShare, metricIntervals, meanScore, sliceResults } from '@ironlaw/policies/evaluation'
import { answerItem } from './answer-item.ts'
import { eachAtOnce } from './each-at-once.ts'
import { engineFacts } from './engine-facts.ts'
import { resultsFile } from './evaluation-files.ts'
import { openResults } from './kept-results.ts'
import { openTexts, orderedTexts } from './kept-texts.ts'
import { type EvaluationRequest, prepare, type Prepared } from './prepare.ts'

export type RunRequest = EvaluationRequest & {
  readonly to: string
  /** Writes what was asked and what was said beside the results. */
  readonly keepTexts?: boolean
  readonly onItem?: () => void
}

export async function runEvaluation(request: RunRequest): Promise<Evaluation> {
  const { to, keepTexts = false, onItem = () => undefined } = request
  if (existsSync(join(to, EVALUATION_FILE)))
    throw new IronlawError('IL_CONFLICT', {
      problem: `${to} holds an evaluation already`,
      next: 'write this one to another directory with --to, or remove it',
    })
  const prepared = await prepare(request)
  const repeats: (readonly ItemResult[])[] = []
  let time_ms = 0
  for (let repeat = 1; repeat <= prepared.spec.repeats; repeat += 1) {
    const { results, took_ms } = await resultsOf(prepared, {
      path: unfinished(to, repeat),
      ...(keepTexts && repeat === 1 && { textsPath: textsPath(to) }),
      onItem,
    })
    repeats.push(results)
    time_ms += took_ms
  }
  const lines = repeats.map((results) => results.map((result) => `${JSON.stringify(result)}\n`).join(''))
  const { memory_bytes } = await engineFacts(prepared.engine, prepared.model.id)
  const evaluation: Evaluation = {
    ...evaluationOf(prepared, { repeats, time_s: time_ms / 1000, digest: sha256(lines[0] ?? '') }),
    ...(memory_bytes !== undefined && { memory_bytes }),
  }
  for (const [index, content] of lines.entries()) await writeWhole(join(to, resultsFile(index + 1)), content)
  if (keepTexts)
    await writeWhole(
      join(to, ITEM_TEXTS_FILE),
      orderedTexts(
        textsPath(to),
        prepared.items.map(({ id }) => id),
      ),
    )
  await writeWhole(join(to, EVALUATION_FILE), `${JSON.stringify(evaluation, undefined, 2)}\n`)
  await rm(join(to, UNFINISHED), { recursive: true, force: true })
  return evaluation
}

const UNFINISHED = 'unfinished'
const textsPath = (to: string): string => join(to, UNFINISHED, ITEM_TEXTS_FILE)
const unfinished = (to: string, repeat: number): string => join(to, UNFINISHED, resultsFile(repeat))

/** In the order of the items; those of an earlier, interrupted try are not asked again. */
async function resultsOf(
  prepared: Prepared,
  { path, textsPath: keepTo, onItem }: { readonly path: string; readonly textsPath?: string; readonly onItem: () => void },
): Promise<{ readonly results: readonly ItemResult[]; readonly took_ms: number }> {
  const { items, itemsDigest, model, instrument, spec } = prepared
  const kept = await openResults(path, sha256(JSON.stringify([itemsDigest, model, instrumentDigest(instrument)])))
  const texts = keepTo === undefined ? undefined : openTexts(keepTo)
  const found = new Map(kept.earlier.map((result) => [result.id, result]))
  const began = performance.now()
  try {
    const missing = items.filter(({ id }) => !found.has(id))
    await eachAtOnce(missing, spec.engine.concurrency, async (item) => {
      const result = await answerItem(prepared, item, texts?.add)
      kept.add(result)
      found.set(item.id, result)
      onItem()
    })
  } finally {
    kept.close()
    texts?.close()
  }
  const earlier_ms = kept.earlier.reduce((sum, { ms }) => sum + ms, 0) / spec.engine.concurrency
  return { results: items.flatMap(({ id }) => found.get(id) ?? []), took_ms: earlier_ms + performance.now() - began }
}

type AnsweredRepeats = { readonly repeats: readonly (readonly ItemResult[])[]; readonly time_s: number; readonly digest: string }

function evaluationOf({ spec, items, itemsDigest, model, instrument }: Prepared, { repeats, time_s, digest }: AnsweredRepeats): Evaluation {
  const [results = []] = repeats
  const differing = differingShare(repeats)
  const sumOf = (field: 'tokens_in' | 'tokens_out'): number => repeats.flat().reduce((sum, result) => sum + result[field], 0)
  return {
    apiVersion: 'ironlaw/v1',
    kind: 'Evaluation',
    name: spec.name,
    model,
    items: { digest: itemsDigest, count: items.length },
    instrument,
    instrument_digest: instrumentDigest(instrument),
    results: digest,
    score: meanScore(results),
    metrics: metricIntervals(spec.task, results),
    slices: sliceResults(results, spec.slices).map(({ slice, value, results: own }) => ({
      slice,
      value,
      items: own.length,
      score: meanScore(own),
    })),
    repeats: { count: repeats.length, ...(differing !== undefined && { differing }) },
    tokens_in: sumOf('tokens_in'),
    tokens_out: sumOf('tokens_out'),
    time_s,
    concurrency: spec.engine.concurrency,
  }
}

/** Appears under its name only when it is whole. */
async function writeWhole(path: string, content: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true })
  await writeFile(`${path}.new`, content)
  await rename(`${path}.new`, path)
}
