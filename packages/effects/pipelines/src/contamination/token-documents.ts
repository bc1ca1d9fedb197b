// The documents of a dataset of token shards as text.

import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { IronlawError, systemError } from '@ironlaw/contracts'
import { parseTokenDataset, shardFiles, TOKEN_DATASET_FILE, TOKENIZER_FILE, type TokenDataset } from '@ironlaw/contracts/token-dataset'
import { createDecoder } from '@ironlaw/text'

export type TokenDocument = { readonly file: string; readonly document: number; readonly text: string }

/** A vocabulary of 256 without a tokenizer is that of bytes. */
const BYTES = 256
const OFFSET_BYTES = 8

export async function* tokenDocuments(directory: string): AsyncGenerator<TokenDocument> {
  const path = join(directory, TOKEN_DATASET_FILE)
  const dataset = parseTokenDataset(JSON.parse((await readPart(path)).toString()), path)
  const decode = await decoderOf(dataset, directory)
  const width = dataset.dtype === 'uint16' ? Uint16Array : Uint32Array
  for (const number of dataset.shards.keys()) {
    const { tokens, documents } = shardFiles(number)
    const file = join(directory, tokens)
    const starts = await readPart(join(directory, documents))
    const shard = await open(file).catch((cause: unknown) => {
      throw systemError(cause) ?? cause
    })
    try {
      for (let document = 0; (document + 2) * OFFSET_BYTES <= starts.length; document += 1) {
        const start = Number(starts.readBigUInt64LE(document * OFFSET_BYTES))
        const end = Number(starts.readBigUInt64LE((document + 1) * OFFSET_BYTES))
        const ids = new width(end - start)
        await shard.read({ buffer: new Uint8Array(ids.buffer), position: start * width.BYTES_PER_ELEMENT })
        yield { file, document, text: Buffer.from(decode(ids)).toString() }
      }
    } finally {
      await shard.close()
    }
  }
}

async function decoderOf({ vocabulary }: TokenDataset, directory: string): Promise<(ids: ArrayLike<number>) => Uint8Array> {
  const path = join(directory, TOKENIZER_FILE)
  const file = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined
    throw systemError(cause) ?? cause
  })
  if (file) return createDecoder(JSON.parse(file.toString()))
  if (vocabulary === BYTES) return (ids) => Uint8Array.from(ids)
  throw new IronlawError(
    'IL_FILE',
    { path, reason: 'there is no such file, so that the tokens of the dataset cannot be read as text' },
    { next: 'name the documents that it was made from, or put the tokenizer beside the shards' },
  )
}

async function readPart(path: string): Promise<Buffer> {
  return await readFile(path).catch((cause: unknown) => {
    throw systemError(cause) ?? cause
  })
}
