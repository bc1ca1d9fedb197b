import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addFiles, openArtifacts, openStorage } from '@ironlaw/artifacts'
import { sha256 } from '@ironlaw/contracts'
import { afterAll, expect, test } from 'vitest'
import { tokenText } from './token-text.ts'

const folder = mkdtempSync(join(tmpdir(), 'ironlaw-token-text-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const TOKENIZER = JSON.stringify({ decoder: { type: 'ByteLevel' }, model: { vocab: { hello: 0, Ġhello: 1 }, merges: [] } })

type DatasetCase = { readonly vocabulary: number; readonly file?: string; readonly tokenizerDigest?: string }

async function textShown({ file, ...given }: DatasetCase, tokens: readonly number[]): Promise<string> {
  const directory = mkdtempSync(join(folder, 'dataset-'))
  writeFileSync(join(directory, 'tokens-00000.bin'), '')
  if (file !== undefined) writeFileSync(join(directory, 'tokenizer.json'), file)
  const artifacts = await openArtifacts(openStorage(`file://${mkdtempSync(join(folder, 'storage-'))}`))
  const manifest = await addFiles(artifacts, { directory, type: 'dataset' })
  const dataset = { apiVersion: 'ironlaw/v1', kind: 'TokenDataset', tokenizer: 'tokenizer.json', dtype: 'uint16', sequence: 1 } as const
  const found = await tokenText(artifacts, {
    dataset: { ...dataset, tokens: 0, documents: 0, samples: 0, shards: [], ...given },
    manifest,
    folder: '',
  })
  return 'why' in found ? `numbers: ${found.why}` : found.textOf(tokens)
}

test.each<[string, DatasetCase, readonly number[], string | RegExp]>([
  ['with the tokenizer of the dataset', { vocabulary: 2, file: TOKENIZER, tokenizerDigest: sha256(TOKENIZER) }, [0, 1], 'hello hello'],
  ['as bytes where there are 256 tokens and no tokenizer', { vocabulary: 256 }, [104, 105], 'hi'],
  ['not without one, and the reason is said', { vocabulary: 1000 }, [7], /^numbers: the dataset holds no tokenizer\.json/],
  [
    'not with another one than made them',
    { vocabulary: 2, file: TOKENIZER, tokenizerDigest: 'f'.repeat(64) },
    [0],
    /^numbers: its tokenizer\.json has the digest .* says ffff/,
  ],
  ['not with one that is not of BPE', { vocabulary: 2, file: '{"model": {"type": "Unigram"}}' }, [0], /^numbers: .*Unigram/],
])('tokens are read %s', async (_, given, tokens, expected) => {
  expect(await textShown(given, tokens)).toMatch(expected)
})
