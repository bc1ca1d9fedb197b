// A Hugging Face `tokenizer.json`, as far as BPE models use it. What it holds beyond that is refused by name: a tokenizer that
// almost agrees would be found out after training.

import { IronlawError } from '@ironlaw/contracts'

type Json = Readonly<Record<string, unknown>>

export type AddedToken = { readonly id: number; readonly content: string; readonly isNormalized: boolean }

export type BpeModel = {
  readonly vocabulary: ReadonlyMap<string, number>
  readonly merges: readonly (readonly [string, string])[]
  /** A piece that is a token as a whole is that token, whatever its merges say. */
  readonly ignoreMerges: boolean
  /** A character without a token becomes tokens `<0x00>` to `<0xFF>`. */
  readonly byteFallback: boolean
  readonly unknownToken: number | undefined
  readonly fuseUnknown: boolean
}

export type TokenizerFile = {
  readonly model: BpeModel
  readonly addedTokens: readonly AddedToken[]
  /** Steps in order; a sequence within a sequence is flattened. */
  readonly normalizers: readonly Step[]
  readonly preTokenizers: readonly Step[]
  readonly decoders: readonly Step[]
}

export type Step = Json & { readonly type: string }

export const refused = (reason: string): IronlawError =>
  new IronlawError(
    'IL_DOCUMENT',
    { path: 'tokenizer.json', reason },
    { next: "use a tokenizer.json with a BPE model, or tokenize with the model's own library as a step of your own" },
  )

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

function record(value: unknown, field: string): Json {
  if (!isRecord(value)) throw refused(`${field} is not an object`)
  return value
}

function list(value: unknown, field: string): readonly unknown[] {
  if (!Array.isArray(value)) throw refused(`${field} is not a list`)
  return value
}

const PARTS: Readonly<Record<string, string>> = { normalizer: 'normalizers', pre_tokenizer: 'pretokenizers', decoder: 'decoders' }

function steps(value: unknown, field: string): Step[] {
  if (value === null || value === undefined) return []
  const step = record(value, field)
  if (typeof step['type'] !== 'string') throw refused(`${field} has no type`)
  if (step['type'] !== 'Sequence') return [step as Step]
  return list(step[PARTS[field] ?? ''], field).flatMap((part) => steps(part, field))
}

function mergePair(merge: unknown): readonly [string, string] {
  const parts: readonly unknown[] = typeof merge === 'string' ? merge.split(' ') : list(merge, 'model.merges')
  const [left, right] = parts
  if (parts.length !== 2 || typeof left !== 'string' || typeof right !== 'string')
    throw refused(`model.merges: ${JSON.stringify(merge)} is not a pair of tokens`)
  return [left, right]
}

function bpeModel(model: Json): BpeModel {
  if (model['type'] !== undefined && model['type'] !== 'BPE') throw refused(`the model is ${JSON.stringify(model['type'])}, not BPE`)
  for (const field of ['dropout', 'continuing_subword_prefix', 'end_of_word_suffix'])
    if (model[field]) throw refused(`model.${field} is ${JSON.stringify(model[field])}, which is not supported`)
  const vocabulary = new Map<string, number>()
  for (const [token, id] of Object.entries(record(model['vocab'], 'model.vocab'))) {
    if (typeof id !== 'number') throw refused(`model.vocab: the id of ${JSON.stringify(token)} is not a number`)
    vocabulary.set(token, id)
  }
  const unknown = model['unk_token']
  return {
    vocabulary,
    merges: list(model['merges'], 'model.merges').map(mergePair),
    ignoreMerges: model['ignore_merges'] === true,
    byteFallback: model['byte_fallback'] === true,
    unknownToken: typeof unknown === 'string' ? vocabulary.get(unknown) : undefined,
    fuseUnknown: model['fuse_unk'] === true,
  }
}

function addedToken(value: unknown): AddedToken {
  const { id, content, normalized, ...flags } = record(value, 'added_tokens')
  if (typeof id !== 'number' || typeof content !== 'string' || content === '')
    throw refused('added_tokens: a token has no id or no content')
  for (const flag of ['single_word', 'lstrip', 'rstrip'])
    if (flags[flag] === true) throw refused(`added_tokens: ${JSON.stringify(content)} has ${flag}, which is not supported`)
  return { id, content, isNormalized: normalized === true }
}

export function parseTokenizerFile(value: unknown): TokenizerFile {
  const file = record(value, 'the document')
  return {
    model: bpeModel(record(file['model'], 'model')),
    addedTokens: list(file['added_tokens'] ?? [], 'added_tokens').map(addedToken),
    normalizers: steps(file['normalizer'], 'normalizer'),
    preTokenizers: steps(file['pre_tokenizer'], 'pre_tokenizer'),
    decoders: steps(file['decoder'], 'decoder'),
  }
}
