// `dataset.json` of a directory of token shards. A shard is `tokens-00000.bin`, little-endian numbers without a header, so that it can be mapped
// into memory, and `documents-00000.idx`, 64-bit little-endian numbers: where each document begins, and at last how many tokens there are. A
// document lies in one shard. A separate entry point, as everything that loads zod.

import * as z from 'zod'
import { canonicalJson } from './canonical-json.ts'
import { sha256 } from './sha256.ts'
import { count, parseSpec, type SpecFormat } from './spec-format.ts'

export const TOKEN_DATASET_FILE = 'dataset.json'
/** Beside it, where the dataset holds what made its tokens: so they can be read as text. */
export const TOKENIZER_FILE = 'tokenizer.json'

const MOST_SHARDS = 100_000
const UINT16_TOKENS = 2 ** 16

const digest = z.string().regex(/^[0-9a-f]{64}$/, 'expected a digest of 64 hexadecimal digits')

const shard = z.strictObject({
  tokens: count('Tokens in its .bin'),
  documents: count('Documents in its .idx, which has one entry more'),
  tokensDigest: digest,
  documentsDigest: digest,
  recordsDigest: digest.exactOptional().describe('Of its .records, where each document came from: unit and record, 32 bits each'),
})

const DATASET = z
  .strictObject({
    apiVersion: z.literal('ironlaw/v1'),
    kind: z.literal('TokenDataset'),
    tokenizer: z.string().min(1).max(200).describe('What made the tokens'),
    tokenizerDigest: digest.exactOptional().describe('Of its tokenizer.json, where the dataset holds it'),
    vocabulary: count('Tokens are below this'),
    dtype: z.enum(['uint16', 'uint32']).describe('uint16 where the vocabulary allows it'),
    sequence: count('A sample is this many tokens and the one after them'),
    tokens: count('Tokens of all shards'),
    documents: count('Documents of all shards'),
    samples: z.int().nonnegative(),
    shards: z.array(shard).min(1).max(MOST_SHARDS),
  })
  .superRefine((dataset, context) => {
    const { shards, tokens, documents, samples, sequence, vocabulary, dtype } = dataset
    const expect = (field: string, found: number | string, expected: number | string): void => {
      if (found !== expected)
        context.addIssue({ code: 'custom', path: [field], message: `is ${found}, but the other fields make it ${expected}` })
    }
    expect('tokens', tokens, sum(shards.map((each) => each.tokens)))
    expect('documents', documents, sum(shards.map((each) => each.documents)))
    expect('samples', samples, Math.max(0, Math.floor((tokens - 1) / sequence)))
    expect('dtype', dtype, vocabulary <= UINT16_TOKENS ? 'uint16' : 'uint32')
  })
  .meta({ id: 'TokenDataset' })

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

export type TokenDataset = z.output<typeof DATASET>

const FORMAT: SpecFormat<typeof DATASET> = { schema: DATASET, fields: { '': Object.keys(DATASET.shape) } }

export const parseTokenDataset = (value: unknown, file: string): TokenDataset => parseSpec(FORMAT, value, file)

/** What a data order names its sources by. */
export const tokenDatasetDigest = (dataset: TokenDataset): string => sha256(canonicalJson(dataset))

export type ShardFiles = {
  readonly tokens: string
  readonly documents: string
  /** Only where the dataset says which record each document came from. */
  readonly records: string
}

export const shardFiles = (shardNumber: number): ShardFiles => {
  const number = String(shardNumber).padStart(5, '0')
  return { tokens: `tokens-${number}.bin`, documents: `documents-${number}.idx`, records: `records-${number}.idx` }
}
