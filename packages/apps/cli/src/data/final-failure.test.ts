import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { IronlawError, systemError } from '@ironlaw/contracts'
import { type DataSpec, parseDataSpec } from '@ironlaw/contracts/data-spec'
import { checkResources, preparePipeline } from '@ironlaw/pipelines'
import { afterAll, expect, test } from 'vitest'
import { isFinal, reasonText } from './final-failure.ts'

const directory = mkdtempSync(join(tmpdir(), 'ironlaw-final-'))
const work = join(directory, 'work')
afterAll(() => rmSync(directory, { recursive: true }))
writeFileSync(join(directory, 'part.jsonl'), '{"text": "a"}\n')
writeFileSync(join(directory, 'damaged.parquet'), 'no parquet at all')
writeFileSync(join(directory, 'words.json'), '{"model": {"type": "WordPiece", "vocab": {"<end>": 0}}}')

const specOf = (files: string, step?: object): DataSpec =>
  parseDataSpec({ apiVersion: 'ironlaw/v1', kind: 'Data', name: 'x', from: [{ name: 'web', files }], steps: step ? [step] : [] }, 'x.yaml')
const tokenize = (tokenizer: string) => ({ tokenize: { tokenizer, sequence: 8, separator: '<end>' } })

async function failureOf(spec: DataSpec): Promise<unknown> {
  try {
    const { pipeline } = await preparePipeline({ spec, directory, work })
    await checkResources(pipeline)
    return undefined
  } catch (cause) {
    return cause
  }
}

for (const [what, spec, text] of [
  ['a source that is not there', specOf('none.jsonl'), /^IL_SPEC: .*none\.jsonl does not exist in .*; correct the path/],
  ['a damaged source', specOf('damaged.parquet'), /^IL_FILE: .*damaged\.parquet.*; copy or download it again/],
  ['a tokenizer that is not there', specOf('part.jsonl', tokenize('none.json')), /^IL_FILE: .*none\.json: there is no such file/],
  ['a tokenizer of another kind', specOf('part.jsonl', tokenize('words.json')), /^IL_DOCUMENT: tokenizer\.json: /],
  ['evaluation items that are not there', specOf('part.jsonl', { without: { items: 'none' } }), /^IL_FILE: .*none: no such file/],
] as const)
  test(`${what} is the same in every attempt`, async () => {
    const failure = await failureOf(spec)
    expect(isFinal(failure, [work])).toBe(true)
    expect(reasonText(failure as IronlawError)).toMatch(text)
  })

const missing = (path: string) => systemError(Object.assign(new Error('ENOENT'), { code: 'ENOENT', syscall: 'open', path }))

for (const [what, failure] of [
  ['a file that another process of the run removed', missing(join(work, 'x.json'))],
  ['a program of the user that ended', new IronlawError('IL_PIPELINE', { problem: 'ended', next: '' })],
  ['storage that is away', new IronlawError('IL_STORAGE', { act: 'read', key: 'x', storage: 's3://b', reason: 'away', next: '' })],
  ['a full disk', systemError(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' }))],
  ['too many open files', systemError(Object.assign(new Error('EMFILE'), { code: 'EMFILE', syscall: 'open', path: '/data/x' }))],
  ['a fault of our own', new TypeError('x is undefined')],
] as const)
  test(`${what} may be otherwise the next time`, () => expect(isFinal(failure, [work])).toBe(false))
