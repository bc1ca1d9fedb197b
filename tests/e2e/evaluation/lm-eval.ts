// The same model and items through lm-evaluation-harness, which asks our engine host as it asks any server, and through our own scoring, which
// reads the items from the harness's log. A difference is a fault of one of the two.

import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { itemsOfLmEvalSamples } from '@ironlaw/contracts/evaluation-imports'
import { startEngineHost } from '@ironlaw/engines'
import { openLlama } from '@ironlaw/engines/llamacpp'
import { askEngine, type AskedEngine } from '@ironlaw/evaluations'
import { itemRequests, type ItemScore, type Metrics, scoreItem, taskMetrics } from '@ironlaw/policies/evaluation'
import { createTokenizer } from '@ironlaw/text'
import { seededModel } from '../../../packages/effects/engines/src/llamacpp/seeded-model.fixture.ts'
import { type HarnessTask, harnessTasks } from './harness-tasks.ts'

const VENV = process.env['LM_EVAL_VENV'] ?? join(homedir(), '.cache/ironlaw/lm-eval-venv')
const SDK = resolve(import.meta.dirname, '../../../python')
const SHAPE = { hidden: 64, layers: 2, heads: 4, context: 512 }
/** Tokens of one request: what the engine holds, less the one that is generated. */
const MOST_TOKENS = SHAPE.context - 2
/** Sums of the same numbers in another order. */
const ROUNDING = 1e-9

type ComparedMetric = { readonly task: string; readonly metric: string; readonly theirs: number; readonly ours: number }

/** Whether all scores are equal; also where the harness is not installed, which is said. */
export async function lmEvalScores(): Promise<boolean> {
  const program = join(VENV, 'bin/lm_eval')
  if (!existsSync(program)) {
    console.log(`lm-eval is skipped: ${program} is missing; python3 -m venv ${VENV} && ${VENV}/bin/pip install "lm-eval[api]" transformers`)
    return true
  }
  const directory = mkdtempSync(join(tmpdir(), 'ironlaw-lm-eval-'))
  // One place: prompts that share a batch differ in the rounding of the engine (Brier scores of 510 tokens by up to 4e-4).
  const engine = await openLlama({ file: seededModel(SHAPE), id: 'seeded', threads: 1, slots: 1 })
  const host = await startEngineHost({ engine, max_queued: 64 })
  try {
    await host.warm()
    const sampling = { temperature: 0, top_p: 1, seed: 1 }
    const address: AskedEngine = { url: host.url, model: 'seeded', sampling, template: 'none' }
    await writeTokenizer(directory)
    const tasks = await harnessTasks(address)
    writeTasks(directory, tasks)
    await runHarness(program, directory, { address, tasks })
    const rows: ComparedMetric[] = []
    for (const task of tasks) rows.push(...(await compareTask(directory, address, task)))
    console.log(scoreTable(rows))
    return rows.length > 0 && rows.every(isEqual)
  } finally {
    await host.stop()
    await engine.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

/** The one of 256 bytes that the seeded model was exported with. */
async function writeTokenizer(directory: string): Promise<void> {
  const script = [
    'import json, sys; from ironlaw.export.tokenizer import byte_tokenizer, tokenizer_config',
    'tokenizer = byte_tokenizer(); config = {"max_position_embeddings": int(sys.argv[2]), "vocab_size": 256}',
    'json.dump(tokenizer, open(sys.argv[1] + "/tokenizer.json", "w")); ' +
      'json.dump(tokenizer_config(tokenizer, config), open(sys.argv[1] + "/tokenizer_config.json", "w"))',
  ].join('\n')
  const to = join(directory, 'tokenizer')
  mkdirSync(to)
  const env = { ...process.env, PYTHONPATH: SDK }
  await promisify(execFile)(process.env['IRONLAW_PYTHON'] ?? '/usr/bin/python3', ['-c', script, to, String(SHAPE.context)], { env })
}

/** JSON is YAML too. */
function writeTasks(directory: string, tasks: readonly HarnessTask[]): void {
  mkdirSync(join(directory, 'tasks'))
  for (const { name, rows, settings } of tasks) {
    const data = join(directory, `${name}.jsonl`)
    writeFileSync(data, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    const common = { task: name, dataset_path: 'json', dataset_kwargs: { data_files: { test: data } }, test_split: 'test' }
    writeFileSync(join(directory, 'tasks', `${name}.yaml`), JSON.stringify({ ...common, ...settings, metadata: { version: 1 } }))
  }
}

async function runHarness(
  program: string,
  directory: string,
  { address, tasks }: { readonly address: AskedEngine; readonly tasks: readonly HarnessTask[] },
): Promise<void> {
  const model = [
    `model=${address.model}`,
    `base_url=${address.url}/v1/completions`,
    'tokenizer_backend=huggingface',
    `tokenizer=${join(directory, 'tokenizer')}`,
    // The harness takes one off for the token that is generated.
    `max_length=${MOST_TOKENS + 1}`,
    'num_concurrent=1',
  ].join(',')
  const options = [
    '--include_path',
    join(directory, 'tasks'),
    '--output_path',
    join(directory, 'out'),
    '--log_samples',
    '--batch_size',
    '4',
  ]
  const names = tasks.map(({ name }) => name).join(',')
  const env = {
    ...process.env,
    HF_HUB_OFFLINE: '1',
    HF_HOME: join(directory, 'hf'),
    OPENAI_API_KEY: 'none',
    TOKENIZERS_PARALLELISM: 'false',
  }
  await promisify(execFile)(program, ['run', '--model', 'local-completions', '--model_args', model, '--tasks', names, ...options], {
    env,
    maxBuffer: 2 ** 26,
  })
}

async function compareTask(directory: string, address: AskedEngine, task: HarnessTask): Promise<readonly ComparedMetric[]> {
  const [samples] = globSync(join(directory, 'out', '*', `samples_${task.name}_*.jsonl`))
  const [results] = globSync(join(directory, 'out', '*', 'results_*.json'))
  if (samples === undefined || results === undefined) throw new Error(`lm-eval wrote no results of ${task.name}`)
  const theirs: Metrics = JSON.parse(readFileSync(results, 'utf8')).results[task.name]
  const ours = await ourMetrics(directory, address, { task, samples })
  return Object.entries(task.metrics).map(([metric, own]) => ({
    task: task.name,
    metric,
    theirs: theirs[metric] ?? Number.NaN,
    ours: ours[own] ?? Number.NaN,
  }))
}

async function ourMetrics(
  directory: string,
  address: AskedEngine,
  { task, samples }: { readonly task: HarnessTask; readonly samples: string },
): Promise<Metrics> {
  const tokenizer = createTokenizer(JSON.parse(readFileSync(join(directory, 'tokenizer', 'tokenizer.json'), 'utf8')))
  const reading = { encode: (text: string) => [...tokenizer.encode(text)], prefix_token: 0, most_tokens: MOST_TOKENS }
  const rows = readFileSync(samples, 'utf8').trim().split('\n')
  const { kind, items } = itemsOfLmEvalSamples(
    rows.map((row): unknown => JSON.parse(row)),
    samples,
    task.reading,
  )
  if (kind === 'prediction' || kind === 'program' || kind === 'judged') throw new Error(`${task.name} is of no kind that lm-eval has`)
  const scores: ItemScore[] = []
  for (const item of items) {
    const requests = itemRequests(item, reading)
    const answers = await Promise.all(requests.map(async (request) => (await askEngine(address, request)).answer))
    const score = scoreItem(item, requests, answers)
    if (!score) throw new Error(`item ${item.id} of ${task.name} was not answered`)
    scores.push(score)
  }
  return taskMetrics(kind, scores)
}

const isEqual = ({ theirs, ours }: ComparedMetric): boolean => Math.abs(theirs - ours) <= ROUNDING * Math.max(1, Math.abs(theirs))

function scoreTable(rows: readonly ComparedMetric[]): string {
  const cells = rows.map((row) => [
    row.task,
    row.metric,
    row.theirs.toPrecision(10),
    row.ours.toPrecision(10),
    (row.ours - row.theirs).toExponential(1),
    isEqual(row) ? '' : 'DIFFERENT',
  ])
  const all = [['task', 'metric', 'lm-eval', 'ironlaw', 'difference', ''], ...cells]
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? []
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
