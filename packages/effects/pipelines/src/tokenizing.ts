// The tokenizer of a spec, and the token that ends a document.

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { IronlawError, systemReason } from '@ironlaw/contracts'
import type { DataStep } from '@ironlaw/contracts/data-spec'
import { createTokenizer } from '@ironlaw/text'

export type Tokenizing = {
  readonly encode: (text: string) => Uint32Array
  readonly separator: number
  readonly vocabulary: number
}

const UINT16_TOKENS = 2 ** 16

export const tokenBytes = ({ vocabulary }: Pick<Tokenizing, 'vocabulary'>): 2 | 4 => (vocabulary <= UINT16_TOKENS ? 2 : 4)

type TokenizerFile = {
  readonly model?: { readonly vocab?: Readonly<Record<string, number>> }
  readonly added_tokens?: readonly { readonly id: number; readonly content: string }[]
}

export async function loadTokenizer({ tokenizer, separator }: NonNullable<DataStep['tokenize']>, directory: string): Promise<Tokenizing> {
  const path = resolve(directory, tokenizer)
  const file = await readTokenizer(path)
  const ids = new Map(Object.entries(file.model?.vocab ?? {}))
  for (const { id, content } of file.added_tokens ?? []) ids.set(content, id)
  const end = ids.get(separator)
  if (end === undefined)
    throw new IronlawError(
      'IL_DOCUMENT',
      { path, reason: `it has no token ${JSON.stringify(separator)}` },
      { next: 'name under "tokenize.separator" one that it has' },
    )
  let vocabulary = 0
  for (const id of ids.values()) vocabulary = Math.max(vocabulary, id + 1)
  return { encode: createTokenizer(file).encode, separator: end, vocabulary }
}

async function readTokenizer(path: string): Promise<TokenizerFile> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new IronlawError('IL_FILE', { path, reason: systemReason(cause) ?? String(cause) }, { cause })
  })
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new IronlawError('IL_DOCUMENT', { path, reason: 'it is not JSON' }, { cause })
  }
}
