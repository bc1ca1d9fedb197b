// An evaluation before anything is asked: the items, how the model reads them, and the instrument.

import { readFile } from 'node:fs/promises'
import { IronlawError, sha256, systemError } from '@ironlaw/contracts'
import { type EvaluateSpec, scoredMetric } from '@ironlaw/contracts/evaluate-spec'
import type { Instrument } from '@ironlaw/contracts/evaluation'
import { type EvaluationItem, parseItems } from '@ironlaw/contracts/evaluation-items'
import type { ModelReading } from '@ironlaw/policies/evaluation'
import { createTokenizer } from '@ironlaw/text'
import type { AskedEngine } from './ask-engine.ts'
import { engineFacts, type EngineFacts } from './engine-facts.ts'
import type { EngineAddress } from './engine-request.ts'
import { openJudge, type OpenJudge } from './judge.ts'
import { openSandbox } from './sandbox/open-sandbox.ts'
import { createRunner, type ProgramRunner } from './sandbox/program-runner.ts'
import type { Sandbox } from './sandbox/run-program.ts'

export type EvaluationRequest = {
  readonly spec: EvaluateSpec
  /** JSON lines of the items. */
  readonly items: string
  /** Of the model, where the spec names one. */
  readonly tokenizer?: string
  /** Absent where nothing is asked: task prediction. */
  readonly address?: EngineAddress
  /** Of the model that judges: task judged. */
  readonly judge?: EngineAddress
}

export type Prepared = {
  readonly spec: EvaluateSpec
  readonly items: readonly EvaluationItem[]
  /** Of what is asked: the same for two models. */
  readonly itemsDigest: string
  readonly reading: ModelReading
  readonly engine: AskedEngine
  readonly model: { readonly id: string; readonly weights?: string }
  readonly instrument: Instrument
  /** Where answers are programs. */
  readonly runner?: ProgramRunner
  /** Where answers are judged by a model. */
  readonly judge?: OpenJudge
}

/** Rises when the same answers give another score. */
const SCORING = 1
/** Of an engine that does not say what it holds; only tasks that ask for the chance of text need it. */
const CONTEXT = 2048

export async function prepare(request: EvaluationRequest): Promise<Prepared> {
  const { spec, items: file, tokenizer, address } = request
  const content = await readText(file)
  const items = parseItems(spec.task, content, file)
  if (items.length === 0) throw new IronlawError('IL_SPEC', { file, path: '(file)', problem: 'holds no items' })
  const facts = address ? await engineFacts(address, spec.engine.model ?? spec.engine.deployment) : predictorFacts(spec)
  const context = facts.context_tokens ?? spec.engine.context
  const tokens = spec.tokenizer && tokenizer !== undefined ? await tokenizerOf(tokenizer, spec.tokenizer.prefix) : undefined
  const { template, system, sampling } = spec
  const sandbox = spec.task === 'program' ? await openSandbox(spec.sandbox) : undefined
  const judge = spec.judge && request.judge ? await openJudge(spec.judge, request.judge) : undefined
  return {
    spec,
    items,
    // Of what the items are, not of how the file is laid out.
    itemsDigest: sha256(JSON.stringify(items.map(withoutPrediction))),
    // The engine generates one token even where none is wanted, and counts the prefix.
    reading: { encode: tokens?.encode ?? noTokens, prefix_token: tokens?.prefix ?? 0, most_tokens: (context ?? CONTEXT) - 2 },
    engine: { ...(address ?? NO_ENGINE), model: facts.model, sampling, template, ...(system !== undefined && { system }) },
    model: { id: facts.model, ...(facts.weights !== undefined && { weights: facts.weights }) },
    instrument: {
      ...instrumentOf(spec, { ...facts, ...(context !== undefined && { context_tokens: context }) }, tokens?.digest),
      ...(sandbox && { sandbox: sandboxFacts(sandbox) }),
      ...(judge && { judge: judge.facts }),
    },
    ...(sandbox && { runner: createRunner(sandbox) }),
    ...(judge && { judge }),
  }
}

/** Of task prediction, whose items make no request. */
const NO_ENGINE: EngineAddress = { url: '' }

function predictorFacts({ predictor }: EvaluateSpec): EngineFacts {
  if (!predictor) throw new Error('a task that asks no engine has a predictor: the spec was checked')
  const { model, weights, program = 'predictions' } = predictor
  return { model, engine: program, ...(weights !== undefined && { weights }) }
}

/** What a model said is not part of what it was asked. */
const withoutPrediction = (item: Prepared['items'][number]): object =>
  item.kind === 'prediction' ? { ...item, prediction: undefined, probabilities: undefined, quantiles: undefined } : item

const sandboxFacts = ({ interpreter, limits }: Sandbox): NonNullable<Instrument['sandbox']> => ({
  interpreter: interpreter.version,
  packages: interpreter.packages,
  ...limits,
})

const noTokens = (): never => {
  throw new Error('a task that asks for the chance of text has a tokenizer: the spec was checked')
}

function instrumentOf(spec: EvaluateSpec, facts: EngineFacts, tokenizer: string | undefined): Instrument {
  const { engine, version, context_tokens } = facts
  const quantization = facts.quantization ?? spec.engine.quantization
  return {
    engine,
    ...(version !== undefined && { version }),
    ...(quantization !== undefined && { quantization }),
    ...(context_tokens !== undefined && { context_tokens }),
    ...(tokenizer !== undefined && { tokenizer }),
    template: spec.template,
    ...(spec.system !== undefined && { system: spec.system }),
    sampling: spec.sampling,
    task: spec.task,
    metric: scoredMetric(spec),
    scoring: SCORING,
  }
}

type Tokens = { readonly encode: ModelReading['encode']; readonly prefix: number; readonly digest: string }

async function tokenizerOf(file: string, prefix: string): Promise<Tokens> {
  const content = await readText(file)
  const { encode } = createTokenizer(jsonOf(content, file))
  const [token, ...others] = encode(prefix)
  if (token === undefined || others.length > 0)
    throw new IronlawError('IL_SPEC', { file, path: 'tokenizer.prefix', problem: `"${prefix}" is not one token of this tokenizer` })
  return { encode: (text) => [...encode(text)], prefix: token, digest: sha256(`${prefix}\n${content}`) }
}

function jsonOf(content: string, path: string): unknown {
  try {
    return JSON.parse(content)
  } catch (cause) {
    throw new IronlawError('IL_DOCUMENT', { path, reason: cause instanceof Error ? cause.message : String(cause) }, { cause })
  }
}

export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw systemError(cause) ?? cause
  }
}
