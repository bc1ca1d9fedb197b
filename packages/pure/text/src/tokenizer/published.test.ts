// Ids and bytes of published tokenizers against Hugging Face's own libraries. `node tools/published-tokenizers.ts` fetches what this needs and prints
// how to run it: tests read nothing of the user's home unless PUBLISHED_TOKENIZERS names it.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Tokenizer as JavascriptTokenizer } from '@huggingface/tokenizers'
import { describe, expect, test } from 'vitest'
import { hostileTexts } from './hostile-texts.fixture.ts'
import published from './published.json' with { type: 'json' }
import { createTokenizer } from './tokenizer.ts'

const CACHE = process.env['PUBLISHED_TOKENIZERS'] ?? ''
const PYTHON = join(CACHE, 'tokenizers-venv', 'bin', 'python')
const pathOf = (name: string): string => join(CACHE, 'tokenizers', name, 'tokenizer.json')

const TIMEOUT = { timeout: 600_000 }

const texts = [...hostileTexts()].map(([name, text]) => [name, text.toWellFormed()] as const)

type Reference = { readonly ids: readonly (readonly number[])[]; readonly decoded: readonly string[] }

function pythonReference(name: string): Reference {
  const request = JSON.stringify({ files: { [name]: pathOf(name) }, texts: texts.map(([, text]) => text) })
  const { stdout, stderr, status } = spawnSync(PYTHON, [join(import.meta.dirname, 'reference.py')], {
    input: request,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as Reference
}

describe.each(published)('$name', ({ name, sha256 }) => {
  const path = pathOf(name)
  const fileText = CACHE !== '' && existsSync(path) ? readFileSync(path, 'utf8') : undefined
  const reason = 'needs PUBLISHED_TOKENIZERS; node tools/published-tokenizers.ts fetches them'

  test.skipIf(fileText === undefined)(`is the file of the list (${reason})`, () => {
    expect(createHash('sha256').update(readFileSync(path)).digest('hex')).toBe(sha256)
  })

  test.skipIf(fileText === undefined || !existsSync(PYTHON))(`has the ids and the text of the library in Rust (${reason})`, TIMEOUT, () => {
    const ours = createTokenizer(JSON.parse(fileText as string))
    const theirs = pythonReference(name)
    for (const [i, [label, text]] of texts.entries()) {
      const ids = ours.encode(text)
      expect([...ids], label).toEqual(theirs.ids[i])
      expect(new TextDecoder('utf-8', { ignoreBOM: true }).decode(ours.decode(ids)), label).toBe(theirs.decoded[i])
    }
  })

  // The library in JavaScript uses JavaScript's white space, which differs from the one in Rust in U+0085 and U+FEFF.
  test.skipIf(fileText === undefined)(`has the ids of the library in JavaScript (${reason})`, TIMEOUT, () => {
    const file = JSON.parse(fileText as string) as object
    const ours = createTokenizer(file)
    const theirs = new JavascriptTokenizer(file, {})
    for (const [label, text] of texts) {
      if (/[\u0085\ufeff]/.test(text) || text.length > 2_000) continue
      expect([...ours.encode(text)], label).toEqual(theirs.encode(text, { add_special_tokens: false }).ids)
    }
  })
})
