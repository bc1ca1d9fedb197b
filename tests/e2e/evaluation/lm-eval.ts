// The same model and items through lm-evaluation-harness, which asks our engine host as it asks any server, and through our own scoring, which
// reads the items from the harness's log. A difference is a fault of one of the two.

import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { itemsOfLmEvalSamples } from '@ironlaw/contracts/evaluation-imports'
import { lmEvalEvaluation, type LmEvalLog } from '@ironlaw/contracts/harness-logs'
import { startEngineHost } from '@ironlaw/engines'
import { openLlama } from '@ironlaw/engines/llamacpp'
import { askEngine, type AskedEngine } from '@ironlaw/evaluations'
import { itemRequests, type ItemScore, meanScore, type Metrics, scoreItem, taskMetrics } from '@ironlaw/policies/evaluation'
import { createTokenizer } from '@ironlaw/text'
import { seededModel } from '../../../packages/effects/engines/src/llamacpp/seeded-model.fixture.ts'
import { type HarnessTask, harnessTasks } from './harness-tasks.ts'
import { isEqual, type ScoredMetric, scoreTable } from './score-table.ts'

const VENV = process.env['LM_EVAL_VENV'] ?? join(homedir(), '.cache/ironlaw/lm-eval-venv')
const SDK = resolve(import.meta.dirname, '../../../python')
const SHAPE = { hidden: 64, layers: 2, heads: 4, context: 512 }
/** Tokens of one request: what the engine holds, less the one that is generated. */
const MOST_TOKENS = SHAPE.context - 2
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
    const rows: ScoredMetric[] = []
    for (const task of tasks) rows.push(...(await compareTask(directory, address, task)))
    console.log(scoreTable('lm-eval', rows))
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

async function compareTask(directory: string, address: AskedEngine, task: HarnessTask): Promise<readonly ScoredMetric[]> {
  const [samples] = globSync(join(directory, 'out', '*', `samples_${task.name}_*.jsonl`))
  const [results] = globSync(join(directory, 'out', '*', 'results_*.json'))
  if (samples === undefined || results === undefined) throw new Error(`lm-eval wrote no results of ${task.name}`)
  const run: { readonly results: Readonly<Record<string, Metrics>> } = JSON.parse(readFileSync(results, 'utf8'))
  const theirs = run.results[task.name] ?? {}
  const ours = await ourMetrics(directory, address, { task, samples })
  const scored = Object.entries(task.metrics).map(([metric, own]) => ({
    task: task.name,
    metric,
    theirs: theirs[metric] ?? Number.NaN,
    ours: ours[own] ?? Number.NaN,
  }))
  return [...scored, ...importedScores({ samples: rowsOf(samples), results: run, files: { samples, results } }, task.name, theirs)]
}

const rowsOf = (file: string): readonly unknown[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((row): unknown => JSON.parse(row))

/** The log's own scores, where an item has a share. */
function importedScores(log: LmEvalLog, task: string, theirs: Metrics): readonly ScoredMetric[] {
  const shares = Object.keys(theirs).filter((name) => /^(?:acc|acc_norm|exact_match),/.test(name))
  const filters = new Set(shares.map((name) => name.split(',')[1]))
  return shares.map((name) => {
    const metric = filters.size > 1 ? name : (name.split(',')[0] ?? name)
    const ours = meanScore(lmEvalEvaluation(log, task, metric).results).value
    return { task, metric: `${name}, imported`, theirs: theirs[name] ?? Number.NaN, ours }
  })
}

async function ourMetrics(
  directory: string,
  address: AskedEngine,
  { task, samples }: { readonly task: HarnessTask; readonly samples: string },
): Promise<Metrics> {
  const tokenizer = createTokenizer(JSON.parse(readFileSync(join(directory, 'tokenizer', 'tokenizer.json'), 'utf8')))
  const reading = { encode: (text: string) => [...tokenizer.encode(text)], prefix_token: 0, most_tokens: MOST_TOKENS }
  const { kind, items } = itemsOfLmEvalSamples(rowsOf(samples), samples, task.reading)
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
