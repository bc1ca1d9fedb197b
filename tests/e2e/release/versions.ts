// Versions of a small model as people make them: trained, exported, evaluated, signed; and what is wrong with each that must not serve.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { parseItems } from '@ironlaw/contracts/evaluation-items'
import { MODEL_VERSION_FILE } from '@ironlaw/contracts/model-version'
import { readEvaluation } from '@ironlaw/evaluations'

const ROOT = join(import.meta.dirname, '../../..')
const CLI = join(ROOT, 'packages/apps/cli/src/main.ts')
const PYTHON = process.env['IRONLAW_PYTHON'] ?? '/usr/bin/python3'
const STEPS = '110'
const SHAPE = { hidden: 64, layers: 1, items: 200 }
const ENGINE_WITHIN_MS = 60_000

export type Command = (...args: readonly string[]) => Promise<string>

/** `before`, `candidate` and `unfair` as directories of Hugging Face, with the text they learned from and items that they have not seen. */
export async function trainModels(folder: string): Promise<void> {
  const config = join(folder, 'shape.json')
  writeFileSync(config, JSON.stringify(SHAPE))
  const env = {
    ...process.env,
    OMP_NUM_THREADS: '1',
    PYTHONPATH: [join(ROOT, 'examples/reference-trainer'), join(ROOT, 'python')].join(':'),
  }
  const training = promisify(execFile)(PYTHON, [join(import.meta.dirname, 'small_model.py'), config, folder, STEPS], { env })
  process.once('exit', () => void training.child.kill())
  await training
}

/** @param origin what is known of where it comes from */
export async function exportVersion(command: Command, name: string, origin: Readonly<Record<string, string>>): Promise<void> {
  const flags = Object.entries(origin).flatMap(([fact, value]) => [`--${fact}`, value])
  const files = ['--format', 'gguf', '--quantise', 'q8_0,q4_0', '--held-out', 'held-out.txt']
  await command('export', name, '--to', `models/${name}`, '--name', name, ...files, ...flags)
}

/** As an export by somebody who does not say in what it was trained. */
export function forgetEnvironment(folder: string, name: string): void {
  const file = join(folder, 'models', name, MODEL_VERSION_FILE)
  const { lineage, ...version }: { lineage: object } = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...version, lineage: { ...lineage, environment: null } }))
}

export function writeKeys(folder: string): void {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  writeFileSync(join(folder, 'key.pem'), privateKey.export({ type: 'sec1', format: 'pem' }), { mode: 0o600 })
  writeFileSync(join(folder, 'key.pub.pem'), publicKey.export({ type: 'spki', format: 'pem' }))
}

type RunningEngine = { readonly url: string; readonly stop: () => Promise<void> }

export const engineArguments = (directory: string): readonly string[] => [
  CLI,
  'engine',
  '--model',
  directory,
  '--port',
  '0',
  '--slots',
  '4',
  '--threads',
  '1',
]

async function startEngine(folder: string, name: string): Promise<RunningEngine> {
  const endpoint = join(folder, `${name}.endpoint`)
  const engine: ChildProcess = spawn(process.execPath, engineArguments(join(folder, 'models', name)), {
    cwd: folder,
    env: { ...process.env, IRONLAW_ENDPOINT_FILE: endpoint },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(engine, 'exit')
  const end = (): void => void engine.kill('SIGTERM')
  process.once('exit', end)
  for (const deadline = Date.now() + ENGINE_WITHIN_MS; !existsSync(endpoint); await pause(50))
    if (Date.now() > deadline || engine.exitCode !== null) throw new Error(`the engine of ${name} did not start`)
  const stop = async (): Promise<void> => {
    process.off('exit', end)
    end()
    await ended
  }
  return { url: readFileSync(endpoint, 'utf8').split('\n')[0] ?? '', stop }
}

/** Its evaluation, and what follows from it for each item: who is asked for yes or no and is wrong said the other. */
export async function evaluateVersion(command: Command, folder: string, name: string): Promise<void> {
  const engine = await startEngine(folder, name)
  try {
    await command('evaluate', 'run', 'evaluate.json', '--url', engine.url, '--to', `evaluations/${name}`)
    if (name === 'candidate') await command('evaluate', 'run', 'chat.json', '--url', engine.url, '--to', 'evaluations/chat')
  } finally {
    await engine.stop()
  }
  const { results } = await readEvaluation(join(folder, 'evaluations', name))
  const labels = new Map(
    parseItems('answer', readFileSync(join(folder, 'items.jsonl'), 'utf8'), 'items.jsonl').map(({ id, answers }) => [id, answers[0]]),
  )
  const predictions = results.map(({ id, score, slices }) => {
    const label = labels.get(id)
    const other = label === 'y' ? 'n' : 'y'
    return `${JSON.stringify({ id, label, prediction: score === 1 ? label : other, slices })}\n`
  })
  writeFileSync(join(folder, `predictions-${name}.jsonl`), predictions.join(''))
}

export function writeSpecs(folder: string): void {
  mkdirSync(join(folder, 'evaluations'), { recursive: true })
  const common = { apiVersion: 'ironlaw/v1', kind: 'Evaluate', items: { file: 'items.jsonl' }, task: 'answer', slices: ['region'] }
  const engine = { url: 'http://127.0.0.1:1', concurrency: 4 }
  writeFileSync(join(folder, 'evaluate.json'), JSON.stringify({ ...common, name: 'letters', engine }))
  // Laid out as a conversation, which the model never was trained on.
  writeFileSync(join(folder, 'chat.json'), JSON.stringify({ ...common, name: 'letters', engine, template: 'chat' }))
  const leaked = join(folder, 'leaked.jsonl')
  cpSync(join(folder, 'corpus.jsonl'), leaked)
  const items = readFileSync(join(folder, 'items.jsonl'), 'utf8').trim().split('\n')
  for (const item of items.slice(0, 40)) appendFileSync(leaked, `${JSON.stringify({ text: JSON.parse(item).prompt })}\n`)
}

/** What an export of a directory cannot know. */
export const CONFIGURATION = `${JSON.stringify(SHAPE)}, ${STEPS} steps`

const PURPOSE = {
  configuration: CONFIGURATION,
  intended_use: 'letters of two regions',
  languages: 'en',
  context_tokens: '128',
  licence: 'apache-2.0',
  limitations: 'nothing but letters',
  contact: 'team@example.org',
}

export type ReleasePlan = {
  readonly model: string
  readonly evaluation: string
  readonly predictions: string
  readonly data: string
  readonly weights: string
}

const GOOD: ReleasePlan = {
  model: 'candidate',
  evaluation: 'candidate',
  predictions: 'candidate',
  data: 'corpus.jsonl',
  weights: 'q8_0',
}

/** Gates of every kind over the files of a version. */
export function writeRelease(folder: string, file: string, change: Partial<ReleasePlan>): void {
  const { model, evaluation, predictions, data, weights } = { ...GOOD, ...change }
  const after = `evaluations/${evaluation}`
  const gates = [
    { evaluation: { before: 'evaluations/before', after, not_worse_by: 0.06 } },
    { latency: { evaluation: after, ms: 20_000 } },
    { memory: { evaluation: after, at_most: '4 GB' } },
    { groups: { predictions: `predictions-${predictions}.jsonl`, slice: 'region', positive: 'y', opportunity: 0.3 } },
    { contamination: { items: 'items.jsonl', fields: ['prompt'], data: [data], at_most: 0.05, evaluation: after } },
    { quantization: { weights, perplexity: 0.01, first_choice: 0.98 } },
    { scope: { use: PURPOSE.intended_use, languages: ['en'], context_tokens: 100 } },
    { card: {} },
    { signature: { key: 'key.pub.pem' } },
  ]
  const spec = { apiVersion: 'ironlaw/v1', kind: 'Release', name: 'letters', model: `models/${model}`, facts: PURPOSE, gates }
  writeFileSync(join(folder, file), JSON.stringify(spec))
}
