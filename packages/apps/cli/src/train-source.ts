// What a person wants trained, from a spec file or from flags, resolved against models and catalog into what the planner takes.

import { accelerator as acceleratorOf, type Catalog } from '@ironlaw/catalog'
import { IronlawError, nearest } from '@ironlaw/contracts'
import { parseTrainSpec, type TrainSpec } from '@ironlaw/contracts/train-spec'
import { DEFAULT_RUNTIME, type Machine, nodeShape, POLICIES, RUNTIMES, usualTraining, type Wanted } from '@ironlaw/planner'
import { type BaseUnit, given, parse, type Quantity } from '@ironlaw/units'
import { readDocument } from './input-file.ts'
import type { Architecture } from '@ironlaw/models'
import { modelFrom } from './model-source.ts'
import { withField } from './sweep.ts'
import { wholeNumber } from './whole-number.ts'

export type TrainFlags = {
  readonly model?: string
  readonly gpus?: string
  readonly on?: string
  readonly tokens?: string
  readonly sequence?: string
  readonly batch?: string
  readonly precision?: string
  readonly runtime?: string
  readonly region?: string
}

export type Training = {
  readonly machine: Machine
  readonly wanted: Omit<Wanted, 'keep'>
  readonly warnings: readonly string[]
  readonly spec: TrainSpec
}

/** Sequences of 8,192 tokens and 16 million tokens a step: what frontier runs of 2024 and later use. */
const USUAL = { sequence: 8192, batchTokens: 16_777_216 }

/** The overheads of the framework that will run the plan, unless the spec names others. */
const RUNTIME_OF = {
  sdk: DEFAULT_RUNTIME,
  'megatron-core': 'megatron-core',
  torchtitan: 'fsdp-compiled',
  deepspeed: 'fsdp-eager',
} as const satisfies Record<NonNullable<TrainSpec['run']>['framework'], keyof typeof RUNTIMES>

export function trainingFrom(catalog: Catalog, file: string | undefined, flags: TrainFlags): Training {
  const spec = file === undefined ? specFromFlags(flags) : parseTrainSpec(overridden(readDocument(file), flags), file)
  return trainingOf(catalog, spec)
}

/** Flags beside a file change what it says: try another precision without another file. */
function overridden(document: unknown, { model, gpus, on, tokens, sequence, batch, precision, runtime, region }: TrainFlags): unknown {
  const given: readonly (readonly [string, string | number | undefined])[] = [
    ['model', model],
    ['fleet.count', gpus === undefined ? undefined : wholeNumber('--gpus', gpus)],
    ['fleet.accelerator', on],
    ['tokens', tokens === undefined ? undefined : tokensText(tokens)],
    ['sequence', sequence === undefined ? undefined : wholeNumber('--sequence', sequence)],
    ['globalBatch', batch === undefined ? undefined : wholeNumber('--batch', batch)],
    ['precision', precision],
    ['runtime', runtime],
    ['region', region],
  ]
  return given.reduce((changed, [path, value]) => (value === undefined ? changed : withField(changed, path, value)), document)
}

const tokensText = (tokens: string): string => (/tokens?$/.test(tokens) ? tokens : `${tokens} tokens`)

function specFromFlags({ model, gpus, on, tokens, sequence, batch, precision, runtime, region }: TrainFlags): TrainSpec {
  const missing = [
    ['--model', model],
    ['--gpus', gpus],
    ['--on', on],
    ['--tokens', tokens],
  ]
    .filter(([, value]) => value === undefined)
    .map(([flag]) => flag)
  if (missing.length > 0)
    throw new IronlawError('IL_USAGE', { problem: `without a spec file ${missing.join(', ')} must be given`, command: 'plan' })
  const length = sequence === undefined ? USUAL.sequence : wholeNumber('--sequence', sequence)
  return parseTrainSpec(
    {
      apiVersion: 'ironlaw/v1',
      kind: 'Train',
      name: (model ?? '').split('/').at(-1),
      model,
      tokens: tokensText(tokens ?? ''),
      sequence: length,
      globalBatch: batch === undefined ? Math.max(1, Math.round(USUAL.batchTokens / length)) : wholeNumber('--batch', batch),
      fleet: { accelerator: on, count: wholeNumber('--gpus', gpus ?? '') },
      ...(precision !== undefined && { precision }),
      ...(runtime !== undefined && { runtime }),
      ...(region !== undefined && { region }),
    },
    'the flags',
  )
}

export function trainingOf(catalog: Catalog, spec: TrainSpec): Training {
  const { name, architecture, warnings } = modelFrom(spec.model)
  if (architecture.vocabulary === 0 || !architecture.groups.some(({ stack }) => stack === 'decoder'))
    throw new IronlawError('IL_USAGE', {
      problem: `${name} (${architecture.modelType}) is no language model that decodes tokens; the planner trains those only`,
      command: 'plan',
    })
  const policy = POLICIES[spec.precision ?? 'bf16-mixed']
  const runtime = runtimeFrom(spec.runtime ?? RUNTIME_OF[spec.run?.framework ?? 'sdk'])
  const accelerator = acceleratorOf(catalog, spec.fleet.accelerator).id
  const shape = nodeShape(catalog, accelerator, spec.fleet.node)
  if (spec.fleet.node !== undefined && shape?.accelerator !== accelerator)
    throw new IronlawError('IL_USAGE', {
      problem: `fleet.node: ${spec.fleet.node} holds ${shape?.accelerator ?? 'no accelerators'}, not ${accelerator}`,
      command: 'plan',
    })
  const perNode = spec.fleet.perNode ?? shape?.perNode ?? 8
  const portBandwidth = spec.fleet.link === undefined ? shape?.portBandwidth : quantityOf(spec.fleet.link, 'B/s')
  const globalBatch = typeof spec.globalBatch === 'number' ? spec.globalBatch : sequencesOf(spec.globalBatch, spec.sequence)
  const asked = { architecture, sequence: spec.sequence, globalBatch, policy }
  const { machine, job } = usualTraining(catalog, { ...asked, accelerator, runtime, perNode, portBandwidth })
  return {
    machine,
    warnings: [...warnings, ...longer(architecture, spec.sequence), ...measuredNote(machine)],
    spec,
    wanted: {
      name: spec.name,
      model: name,
      job,
      tokens: quantityOf(spec.tokens, 'token'),
      accelerator,
      fleet: { devices: spec.fleet.count, perNode: Math.min(perNode, spec.fleet.count) },
      ...(shape && spec.fleet.perNode === undefined && { perHost: shape.perHost }),
      fixed: spec.strategy ?? {},
      ...(spec.price !== undefined && { price: given(quantityOf(spec.price, 'USD/s'), 'USD/s') }),
      ...(spec.region !== undefined && { region: spec.region }),
    },
  }
}

/** Whoever reads a plan must know that it rests on own measurements. */
const measuredNote = ({ silicon: { measured } }: Machine): string[] => (measured ? [measured.note] : [])

const longer = ({ longestContext = Infinity }: Architecture, sequence: number): string[] =>
  sequence > longestContext ? [`sequences of ${sequence} tokens are longer than the ${longestContext} the model was made for`] : []

function runtimeFrom(name: string): (typeof RUNTIMES)[keyof typeof RUNTIMES] {
  const found = Object.entries(RUNTIMES).find(([known]) => known === name)?.[1]
  if (found) return found
  const close = nearest(
    name,
    Object.keys(RUNTIMES).map((known) => ({ name: known })),
  )
  throw new IronlawError('IL_USAGE', {
    problem: `there is no runtime "${name}"; known are ${Object.keys(RUNTIMES).join(', ')}${close.length > 0 ? `; did you mean ${close[0]}?` : ''}`,
    command: 'plan',
  })
}

/** A batch stated in tokens, as whole sequences. */
function sequencesOf(batch: string, sequence: number): number {
  const sequences = Math.round(quantityOf(batch, 'token') / sequence)
  if (sequences < 1)
    throw new IronlawError('IL_USAGE', {
      problem: `globalBatch: ${batch} is less than one sequence of ${sequence} tokens`,
      command: 'plan',
    })
  return sequences
}

/** The schema has already checked the text. */
export function quantityOf<U extends BaseUnit>(text: string, unit: U): Quantity<U> {
  const parsed = parse(text, unit)
  if (!parsed.ok) throw new IronlawError('IL_QUANTITY', { name: text, reason: parsed.reason })
  return parsed.value
}
