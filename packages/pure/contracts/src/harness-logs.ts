// What other harnesses logged, as results by an instrument: logs of Inspect as JSON (`inspect log convert --to json`), and of
// lm-evaluation-harness the samples of one task with the results of its run beside them. A separate entry point, as everything that loads zod.

import * as z from 'zod'
import { canonicalJson, type Json } from './canonical-json.ts'
import { IronlawError } from './error.ts'
import type { Evaluation } from './evaluation.ts'
import type { ItemResult } from './evaluation-items.ts'
import { sha256 } from './sha256.ts'
import { parseSpec } from './spec-format.ts'

/** All that an evaluation has but what is computed from its results. */
export type LoggedEvaluation = Pick<Evaluation, 'name' | 'model' | 'items' | 'instrument' | 'time_s' | 'concurrency'> & {
  readonly results: readonly ItemResult[]
}

const json = z.json()
const SCORE = z.looseObject({ value: z.union([z.string(), z.number(), z.boolean(), z.record(z.string(), z.unknown())]) })
const USED = z.looseObject({ input_tokens: z.int().default(0), output_tokens: z.int().default(0) })
/** Of the generation; what does not change an answer is not part of the instrument. */
const GENERATED = z.looseObject({
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  seed: z.int().nonnegative().nullish(),
  system_message: z.string().nullish(),
  max_connections: z.int().positive().nullish(),
})
const INSPECT = z.looseObject({
  status: z.string().default('success'),
  eval: z.looseObject({
    task: z.string().min(1),
    task_version: z.union([z.int(), z.string()]).default(0),
    task_args: json.default({}),
    model: z.string().min(1),
    packages: z.record(z.string(), z.string()).default({}),
    scorers: z.array(json).nullish(),
  }),
  plan: z.looseObject({ steps: z.array(json).default([]), config: GENERATED.prefault({}) }).prefault({}),
  stats: z.looseObject({ started_at: z.string().default(''), completed_at: z.string().default('') }).prefault({}),
  samples: z
    .array(
      z.looseObject({
        id: z.union([z.int(), z.string()]),
        epoch: z.int().default(1),
        input: json.default(''),
        target: json.default(''),
        scores: z.record(z.string(), SCORE).nullish(),
        output: z.looseObject({ completion: z.string().default('') }).default({ completion: '' }),
        model_usage: z.record(z.string(), USED).default({}),
        total_time: z.number().nullish(),
      }),
      'the log holds no samples: convert the one with samples',
    )
    .min(1, 'the log holds no samples'),
})

type InspectLog = z.output<typeof INSPECT>
type InspectSample = InspectLog['samples'][number]

/** Inspect's marks: correct, partial, incorrect, no answer. */
const MARKS: Readonly<Record<string, number>> = { C: 1, P: 0.5, I: 0, N: 0 }

/** Of a scorer, or of the only one; an epoch is a further item of the same cluster. */
export function inspectEvaluation(value: unknown, file: string, scorer?: string): LoggedEvaluation {
  const log = parseSpec({ schema: INSPECT, fields: {} }, value, file)
  checkWhole(log, file)
  const metric = scorer ?? onlyScorer(log.samples, file)
  const { eval: run, plan, stats } = log
  const { max_connections, temperature, top_p, seed, system_message, ...generation } = plan.config
  const time_s = (Date.parse(stats.completed_at) - Date.parse(stats.started_at)) / 1000
  const asked = log.samples.filter(({ epoch }) => epoch === 1)
  return {
    name: run.task,
    model: { id: run.model.slice(run.model.lastIndexOf('/') + 1) },
    items: { digest: digestOf(asked.map(({ id, input, target }) => [id, input, target])), count: log.samples.length },
    instrument: {
      engine: run.model.slice(0, Math.max(0, run.model.lastIndexOf('/'))) || 'inspect',
      template: 'chat',
      ...(system_message && { system: system_message }),
      sampling: {
        ...(typeof temperature === 'number' && { temperature }),
        ...(typeof top_p === 'number' && { top_p }),
        ...(typeof seed === 'number' && { seed }),
      },
      harness: {
        program: 'inspect_ai',
        version: run.packages['inspect_ai'] ?? 'of no known version',
        settings: digestOf([run.task_version, run.task_args, plan.steps, run.scorers ?? [], json.parse(withoutWaits(generation))]),
      },
      task: 'inspect',
      metric,
      scoring: SCORING,
    },
    results: inspectResults(log.samples, file, metric),
    ...(time_s > 0 && { time_s }),
    ...(typeof max_connections === 'number' && { concurrency: max_connections }),
  }
}

/** Rises when the same log gives another score. */
const SCORING = 1

/** How long and how often is asked changes no answer. */
const WAITS = new Set(['max_retries', 'timeout', 'attempt_timeout', 'cache', 'batch', 'adaptive_connections'])
const withoutWaits = (generation: object): object =>
  Object.fromEntries(Object.entries(generation).filter(([name, value]) => !WAITS.has(name) && value !== null))

/** Of the rest nobody knows whether the model would have been right: they are the hard ones too often to be left out. */
function checkWhole({ samples, status }: InspectLog, file: string): void {
  const unscored = samples.filter(({ scores }) => !scores || Object.keys(scores).length === 0).length
  if (unscored > 0)
    throw logError(
      file,
      'samples',
      `${unscored} of ${samples.length} have no score (status ${status}): run "inspect eval-retry", and convert that log`,
    )
}

function onlyScorer(samples: readonly InspectSample[], file: string): string {
  const names = [...new Set(samples.flatMap(({ scores }) => Object.keys(scores ?? {})))]
  const [only] = names
  if (only === undefined || names.length > 1) throw logError(file, 'samples', `there are several scorers: name one of ${names.join(', ')}`)
  return only
}

function inspectResults(samples: readonly InspectSample[], file: string, scorer: string): readonly ItemResult[] {
  const isRepeated = samples.some(({ epoch }) => epoch > 1)
  return samples.map(({ id, epoch, scores, output, model_usage: used, total_time }, index) => {
    const score = markOf(scores?.[scorer]?.value)
    if (!isShare(score)) throw logError(file, `samples.${index}.scores.${scorer}`, 'a mark (C, P, I, N) or a share from 0 to 1 is expected')
    const usage = Object.values(used)
    const result = {
      id: isRepeated ? `${id}#${epoch}` : String(id),
      score,
      values: { [scorer]: score },
      tokens_in: usage.reduce((sum, { input_tokens }) => sum + input_tokens, 0),
      tokens_out: usage.reduce((sum, { output_tokens }) => sum + output_tokens, 0),
      ms: 1000 * (total_time ?? 0),
      output_digest: sha256(output.completion),
    }
    return isRepeated ? { ...result, cluster: String(id) } : result
  })
}

function markOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'string' ? MARKS[value] : undefined
}

const SAMPLE = z.looseObject({
  doc_id: z.union([z.int(), z.string()]),
  doc: json,
  target: json.default(''),
  filtered_resps: json.default([]),
  filter: z.string().default('none'),
  metrics: z.array(z.string()).default([]),
})

type LmEvalSample = z.output<typeof SAMPLE>

const LM_EVAL = z.looseObject({
  model_name: z.string().min(1),
  lm_eval_version: z.string().min(1),
  config: z.looseObject({
    model: z.string().min(1),
    model_dtype: z.string().nullish(),
    model_sha: z.string().nullish(),
    gen_kwargs: json.default(null),
    fewshot_seed: json.default(null),
  }),
  configs: z.record(z.string(), z.looseObject({ metadata: z.looseObject({ version: json.default(0) }).nullish() })).default({}),
  'n-shot': z.record(z.string(), json).default({}),
  system_instruction: z.string().nullish(),
  chat_template: z.string().nullish(),
  total_evaluation_time_seconds: z.coerce.number().nonnegative().nullish(),
})

/** Samples of one task, and the document of the run that they belong to. */
export type LmEvalLog = { readonly samples: readonly unknown[]; readonly results: unknown; readonly files: LmEvalFiles }
type LmEvalFiles = { readonly samples: string; readonly results: string }

/** `metric` is named as in the harness's table of results: acc, or exact_match,strict-match where there are several filters. */
export function lmEvalEvaluation({ samples: rows, results, files }: LmEvalLog, task: string, metric?: string): LoggedEvaluation {
  const samples = rows.map((row, index) => parseSpec({ schema: SAMPLE, fields: {} }, row, `${files.samples}:${index + 1}`))
  const run = parseSpec({ schema: LM_EVAL, fields: {} }, results, files.results)
  const asked = run.configs[task]
  if (!asked) throw logError(files.results, 'configs', `there is no task ${task}: give the results of the run that wrote the samples`)
  const { named, own } = samplesOf(samples, files.samples, metric)
  const { metadata, ...settings } = asked
  const { model, model_dtype, model_sha, gen_kwargs, fewshot_seed } = run.config
  const isOnlyTask = Object.keys(run.configs).length === 1
  return {
    name: task,
    model: { id: run.model_name, ...(model_sha && { weights: model_sha }) },
    items: { digest: digestOf(own.map(({ doc_id, doc, target }) => [doc_id, doc, target])), count: own.length },
    instrument: {
      engine: model,
      ...(model_dtype && { quantization: model_dtype }),
      template: run.chat_template ? 'chat' : 'none',
      ...(run.system_instruction && { system: run.system_instruction }),
      sampling: {},
      harness: {
        program: 'lm_eval',
        version: run.lm_eval_version,
        settings: digestOf([json.parse(settings), metadata?.version ?? 0, run['n-shot'][task] ?? 0, gen_kwargs, fewshot_seed]),
      },
      task: 'lm-eval',
      metric: named,
      scoring: SCORING,
    },
    results: own.map((sample, index) => lmEvalResult(sample, named, `${files.samples}: item ${index + 1}`)),
    ...(isOnlyTask && typeof run.total_evaluation_time_seconds === 'number' && { time_s: run.total_evaluation_time_seconds }),
  }
}

type SampledMetric = { readonly named: string; readonly own: readonly LmEvalSample[] }

/** A task with several filters has several rows for each item. */
function samplesOf(samples: readonly LmEvalSample[], file: string, metric: string | undefined): SampledMetric {
  const filters = [...new Set(samples.map(({ filter }) => filter))]
  const names = samples.flatMap(({ metrics, filter }) => metrics.map((each) => (filters.length > 1 ? `${each},${filter}` : each)))
  const known = [...new Set(names)]
  const [only] = known
  const named = metric ?? only
  if (named === undefined || !known.includes(named) || (metric === undefined && known.length > 1))
    throw logError(file, 'metrics', `name one of the metrics ${known.join(', ')}${metric === undefined ? '' : `, not ${metric}`}`)
  return { named, own: samples.filter(({ filter }) => filters.length === 1 || named.endsWith(`,${filter}`)) }
}

function lmEvalResult(sample: LmEvalSample, metric: string, where: string): ItemResult {
  const value = sample[metric.split(',')[0] ?? metric]
  const score = typeof value === 'boolean' ? Number(value) : value
  if (!isShare(score)) throw logError(where, metric, 'a share from 0 to 1 is expected for each item')
  return {
    id: String(sample.doc_id),
    score,
    values: { [metric]: score },
    tokens_in: 0,
    tokens_out: 0,
    ms: 0,
    output_digest: digestOf(sample.filtered_resps),
  }
}

const isShare = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1

const digestOf = (value: Json): string => sha256(canonicalJson(value))

const logError = (file: string, path: string, problem: string): IronlawError => new IronlawError('IL_SPEC', { file, path, problem })
