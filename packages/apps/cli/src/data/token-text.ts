// Tokens of a dataset as text, by the tokenizer that the dataset holds.

import { hash } from 'node:crypto'
import { type Artifacts, readSmallFile } from '@ironlaw/artifacts'
import { TOKENIZER_FILE } from '@ironlaw/contracts/token-dataset'
import { createDecoder } from '@ironlaw/text'
import type { SourceData } from './run-data.ts'

export type TokenText = { readonly textOf: (tokens: readonly number[]) => string } | { readonly why: string }

export async function tokenText(artifacts: Artifacts, { dataset, manifest, folder }: SourceData): Promise<TokenText> {
  const file = await readSmallFile(artifacts, manifest, `${folder}${TOKENIZER_FILE}`)
  // A vocabulary of 256 without a tokenizer is that of bytes.
  if (!file && dataset.vocabulary === BYTES) return { textOf: (tokens) => Buffer.from(tokens).toString() }
  if (!file)
    return {
      why: `the dataset holds no ${TOKENIZER_FILE} ("ironlaw data build" and write_dataset(tokenizer_file=...) put it beside the shards)`,
    }
  const digest = hash('sha256', file, 'hex')
  if (dataset.tokenizerDigest !== undefined && dataset.tokenizerDigest !== digest)
    return { why: `its ${TOKENIZER_FILE} has the digest ${digest}, and dataset.json says ${dataset.tokenizerDigest}` }
  try {
    const decode = createDecoder(JSON.parse(file.toString()))
    return { textOf: (tokens) => Buffer.from(decode(tokens)).toString() }
  } catch (cause) {
    return { why: cause instanceof Error ? cause.message : String(cause) }
  }
}

const BYTES = 256
