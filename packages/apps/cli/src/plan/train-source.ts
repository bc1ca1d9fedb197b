// A training request from a spec file or from flags, as input of the planner.

import { dirname } from 'node:path'
import type { Catalog } from '@ironlaw/catalog'
import { IronlawError } from '@ironlaw/contracts'
import { parseTrainSpec, type TrainSpec } from '@ironlaw/contracts/train-spec'
import { type TrainingRequest, trainingRequest } from '@ironlaw/planner'
import { readDocument } from '../input-file.ts'
import { modelFrom } from '../model/model-source.ts'
import { withField } from './field-values.ts'
import { batchFlag, linkFlag, sequenceFlag, tokensFlag, wholeNumber } from '../whole-number.ts'

export type TrainFlags = {
  readonly model?: string
  readonly gpus?: string
  readonly on?: string
  readonly tokens?: string
  readonly sequence?: string
  readonly batch?: string
  readonly precision?: string
  readonly optimizer?: string
  readonly optimizerOn?: string
  readonly loraRank?: string
  readonly loraTargets?: string
  readonly runtime?: string
  readonly region?: string
  readonly link?: string
}

/** What frontier runs of 2024 and later use. */
const DEFAULT_SEQUENCE = 8192

export function readTraining(catalog: Catalog, file: string | undefined, flags: TrainFlags): TrainingRequest {
  const spec = file === undefined ? specFromFlags(flags) : parseTrainSpec(withFlagOverrides(specDocument(file), flags), file)
  // A path given as a flag is relative to the current directory.
  return trainingRequestFor(catalog, spec, file === undefined || flags.model !== undefined ? undefined : dirname(file))
}

/** Detects a plan given instead of a spec: the schema would only report that every field is wrong. */
export function specDocument(file: string): unknown {
  const document = readDocument(file)
  const isPlan = typeof document === 'object' && document !== null && ('plans' in document || 'prediction' in document)
  if (!isPlan) return document
  throw new IronlawError('IL_DOCUMENT', {
    path: file,
    reason:
      'it holds a plan, not a spec; "ironlaw plan diff" and "ironlaw simulate run" read plans, "ironlaw plan" reads the spec it was made from',
  })
}

/** Flags override the file: they allow trying another precision without another file. */
function withFlagOverrides(document: unknown, { model, gpus, on, link, tokens, sequence, batch, ...flags }: TrainFlags): unknown {
  const given: readonly (readonly [string, string | number | undefined])[] = [
    ['model', model],
    ['fleet.count', gpus === undefined ? undefined : wholeNumber('--gpus', gpus)],
    ['fleet.accelerator', on],
    ['fleet.link', link === undefined ? undefined : linkFlag('--link', link)],
    ['tokens', tokens === undefined ? undefined : tokensFlag('--tokens', tokens)],
    ['sequence', sequence === undefined ? undefined : sequenceFlag('--sequence', sequence)],
    ['globalBatch', batch === undefined ? undefined : batchFlag('--batch', batch)],
    ...fieldFlags(flags),
  ]
  return withFields(document, given)
}

/** Flags that are a field of the spec as they are. */
const fieldFlags = ({
  precision,
  optimizer,
  optimizerOn,
  loraRank,
  loraTargets,
  runtime,
  region,
}: TrainFlags): readonly (readonly [string, string | number | undefined])[] => [
  ['precision', precision],
  ['optimizer', optimizer],
  ['strategy.optimizerOn', optimizerOn],
  ['lora.rank', loraRank === undefined ? undefined : wholeNumber('--lora-rank', loraRank)],
  ['lora.targets', loraTargets],
  ['runtime', runtime],
  ['region', region],
]

const withFields = (document: unknown, fields: readonly (readonly [string, string | number | undefined])[]): unknown =>
  fields.reduce((changed, [path, value]) => (value === undefined ? changed : withField(changed, path, value)), document)

function specFromFlags({ model, gpus, on, link, tokens, sequence, batch, ...flags }: TrainFlags): TrainSpec {
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
  const length = sequence === undefined ? DEFAULT_SEQUENCE : sequenceFlag('--sequence', sequence)
  return parseTrainSpec(
    withFields(
      {
        apiVersion: 'ironlaw/v1',
        kind: 'Train',
        name: (model ?? '').split('/').at(-1),
        model,
        tokens: tokensFlag('--tokens', tokens ?? ''),
        sequence: length,
        ...(batch !== undefined && { globalBatch: batchFlag('--batch', batch) }),
        fleet: {
          accelerator: on,
          count: wholeNumber('--gpus', gpus ?? ''),
          ...(link !== undefined && { link: linkFlag('--link', link) }),
        },
      },
      fieldFlags(flags),
    ),
    'the flags',
  )
}

/** `from` is the directory of the spec. */
export const trainingRequestFor = (catalog: Catalog, spec: TrainSpec, from?: string): TrainingRequest =>
  trainingRequest(catalog, spec, modelFrom(spec.model, from))
