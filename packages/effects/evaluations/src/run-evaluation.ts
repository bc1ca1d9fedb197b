// All items asked, scored and written: evaluation.json and results.jsonl, with results-2.jsonl and so on for repeats.

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256 } from '@ironlaw/contracts'
import type { EvaluateSpec } from '@ironlaw/contracts/evaluate-spec'
import { type Evaluation, type EvaluationJudge, instrumentDigest } from '@ironlaw/contracts/evaluation'
import { ITEM_TEXTS_FILE, type ItemResult } from '@ironlaw/contracts/evaluation-items'
import {
  differingShare,
  type MetricInterval,
  metricIntervals,
  meanScore,
  predictionIntervals,
  programTries,
  sliceResults,
} from '@ironlaw/policies/evaluation'
import { answerItem, judgeLabelled } from './answer-item.ts'
import { eachAtOnce } from './each-at-once.ts'
import { engineFacts } from './engine-facts.ts'
import { checkVacant, LABELLED_FILE, linesOf, resultsFile, writeDocument, writeWhole } from './evaluation-files.ts'
import { judgedEvaluation, labelledAnswers } from './judge.ts'
import { openResults } from './kept-results.ts'
import { openTexts, orderedTexts } from './kept-texts.ts'
import { type EvaluationRequest, prepare, type Prepared } from './prepare.ts'
import { type Against, openStages, type StageEnd, type Stages } from './stages.ts'

export type RunRequest = EvaluationRequest & {
  readonly to: string
  /** Writes what was asked and what was said beside the results. */
  readonly keepTexts?: boolean
  /** Ends it as soon as the verdict against another evaluation is sure. */
  readonly against?: Against
  readonly onItem?: () => void
}

export async function runEvaluation(request: RunRequest): Promise<Evaluation> {
  const { to, keepTexts = false, onItem = () => undefined } = request
  checkVacant(to)
  const prepared = await prepare(request)
  const { items, model, instrument, spec } = prepared
  const identity = sha256(JSON.stringify([sha256(JSON.stringify(items)), model, instrumentDigest(instrument)]))
  const atOnce = spec.engine.concurrency
  const stages = request.against && openStages(prepared, identity, request.against)
  const { repeats, time_ms, sequential } = await answerRepeats(prepared, {
    to,
    identity,
    atOnce,
    onItem,
    keepTexts,
    ...(stages && { stages }),
  })
  const labelled = { path: join(to, UNFINISHED, LABELLED_FILE), identity, atOnce, onItem: () => undefined }
  const judgement = await judgementOf(prepared, labelled, repeats[0] ?? [])
  const lines = repeats.map(linesOf)
  const answered = { repeats, time_s: time_ms / 1000, digest: sha256(lines[0] ?? ''), ...(judgement && { judge: judgement.judged }) }
  // What answers nothing holds no memory.
  const { memory_bytes } = request.address ? await engineFacts(prepared.engine, model.id) : {}
  const evaluation: Evaluation = {
    ...evaluationOf(prepared, answered),
    ...(sequential && { sequential }),
    ...(memory_bytes !== undefined && { memory_bytes }),
  }
  if (judgement) await writeWhole(join(to, LABELLED_FILE), linesOf(judgement.verdicts))
  for (const [index, content] of lines.entries()) await writeWhole(join(to, resultsFile(index + 1)), content)
  if (keepTexts)
    await writeWhole(
      join(to, ITEM_TEXTS_FILE),
      orderedTexts(
        join(to, UNFINISHED, ITEM_TEXTS_FILE),
        (repeats[0] ?? []).map(({ id }) => id),
      ),
    )
  await writeDocument(to, evaluation)
  await rm(join(to, UNFINISHED), { recursive: true, force: true })
  return evaluation
}

type RepeatedAsking = Omit<AskedQuestions, 'path' | 'isEnough'> & {
  readonly to: string
  readonly keepTexts: boolean
  readonly stages?: Stages
}
type AnsweredItems = {
  readonly repeats: readonly (readonly ItemResult[])[]
  readonly time_ms: number
  readonly sequential?: StageEnd['record']
}

/** Texts are those of the first. */
async function answerRepeats(prepared: Prepared, { to, keepTexts, stages, ...asking }: RepeatedAsking): Promise<AnsweredItems> {
  const texts = keepTexts ? openTexts(join(to, UNFINISHED, ITEM_TEXTS_FILE)) : undefined
  const repeats: (readonly ItemResult[])[] = []
  let time_ms = 0
  let end: StageEnd | undefined
  try {
    for (let repeat = 1; repeat <= prepared.spec.repeats; repeat += 1) {
      const seeded = withSeedOf(prepared, repeat)
      const keepText = repeat === 1 ? texts?.add : undefined
      const path = join(to, UNFINISHED, resultsFile(repeat))
      const answer = async (item: Prepared['items'][number]): Promise<ItemResult> => await answerItem(seeded, item, keepText)
      const asked = { ...asking, path, ...(stages && { isEnough: (so: Found) => stages.endOf(so) !== undefined }) }
      const { found, took_ms } = await answerAll(asked, stages?.order ?? prepared.items, answer)
      end = stages?.endOf(found)
      repeats.push(inOrder(prepared.items, end?.judged ?? found))
      time_ms += took_ms
    }
  } finally {
    texts?.close()
  }
  return { repeats, time_ms, ...(end && { sequential: end.record }) }
}

/** With the same seed a repeat would say the same. */
const withSeedOf = (prepared: Prepared, repeat: number): Prepared => {
  const { engine } = prepared
  return { ...prepared, engine: { ...engine, sampling: { ...engine.sampling, seed: engine.sampling.seed + repeat - 1 } } }
}

const UNFINISHED = 'unfinished'

type Found = ReadonlyMap<string, ItemResult>
type AskedQuestions = {
  readonly path: string
  readonly identity: string
  readonly atOnce: number
  readonly onItem: () => void
  /** Ends it before all were asked. */
  readonly isEnough?: (found: Found) => boolean
}
type AnsweredQuestions = { readonly found: Found; readonly took_ms: number }

const inOrder = (questions: readonly { readonly id: string }[], found: Found): readonly ItemResult[] =>
  questions.flatMap(({ id }) => found.get(id) ?? [])

/** Those of an earlier, interrupted try are not asked again. */
async function answerAll<Question extends { readonly id: string }>(
  { path, identity, atOnce, onItem, isEnough = () => false }: AskedQuestions,
  questions: readonly Question[],
  answer: (question: Question) => Promise<ItemResult>,
): Promise<AnsweredQuestions> {
  const kept = await openResults(path, identity)
  const found = new Map(kept.earlier.map((result) => [result.id, result]))
  const began = performance.now()
  try {
    const work = async (question: Question): Promise<void> => {
      const result = await answer(question)
      kept.add(result)
      found.set(question.id, result)
      onItem()
    }
    await eachAtOnce({ items: questions.filter(({ id }) => !found.has(id)), atOnce, work, isEnough: () => isEnough(found) })
  } finally {
    kept.close()
  }
  const earlier_ms = kept.earlier.reduce((sum, { ms }) => sum + ms, 0) / atOnce
  return { found, took_ms: earlier_ms + performance.now() - began }
}

/** Judged again where they were not kept: without labels nothing is known of the judge. */
async function judgementOf(
  { judge, items }: Prepared,
  asking: AskedQuestions,
  results: readonly ItemResult[],
): Promise<Judgement | undefined> {
  if (!judge) return undefined
  const answers = labelledAnswers(items)
  const { found } = await answerAll(asking, answers, async (answer) => await judgeLabelled(judge, answer))
  const verdicts = inOrder(answers, found)
  return { judged: judgedEvaluation(results, answers, verdicts), verdicts }
}

type Judgement = { readonly judged: EvaluationJudge; readonly verdicts: readonly ItemResult[] }

type AnsweredRepeats = {
  readonly repeats: readonly (readonly ItemResult[])[]
  readonly time_s: number
  readonly digest: string
  readonly judge?: EvaluationJudge
}

function evaluationOf(
  { spec, items, itemsDigest, model, instrument }: Prepared,
  { repeats, time_s, digest, judge }: AnsweredRepeats,
): Evaluation {
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
    metrics: metricsOf(spec.task, items, repeats),
    slices: sliceResults(results, spec.slices).map(({ slice, value, results: own }) => ({
      slice,
      value,
      items: own.length,
      score: meanScore(own),
    })),
    ...(judge && { judge }),
    repeats: { count: repeats.length, ...(differing !== undefined && { differing }) },
    tokens_in: sumOf('tokens_in'),
    tokens_out: sumOf('tokens_out'),
    time_s,
    concurrency: spec.engine.concurrency,
  }
}

function metricsOf(
  task: EvaluateSpec['task'],
  items: Prepared['items'],
  repeats: AnsweredRepeats['repeats'],
): Readonly<Record<string, MetricInterval>> {
  if (task === 'prediction') return predictionIntervals(items.filter((item) => item.kind === 'prediction'))
  return metricIntervals(task, task === 'program' ? programTries(repeats) : (repeats[0] ?? []))
}
