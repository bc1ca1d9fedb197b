// Inputs that were kept, through every target; and faults planted on purpose, which the fuzzer must find.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { bundleTarget, installCounters } from './bundle.ts'
import { Coverage, countersFor } from './coverage.ts'
import { execute } from './execution.ts'
import { Fuzzer } from './fuzzer.ts'
import { instrument } from './instrument.ts'
import { growth } from './memory.ts'
import { textOf, treeOf } from './mutate/json-tree.ts'
import { reduceInput } from './reduce.ts'
import { superviseTarget } from './supervise.ts'
import { type Target, TIME_LIMIT_MS } from './target.ts'
import { entryOf, keptInputs, targetNames } from './targets.ts'

const directory = mkdtempSync(join(tmpdir(), 'ironlaw-fuzz-test-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const SEED = 15

describe('inputs that were kept', () => {
  test.each(targetNames())('%s takes or refuses each in its declared way', async (name) => {
    const { target }: { readonly target: Target } = await import(pathToFileURL(entryOf(name)).href)
    const coverage = new Coverage(new Uint32Array(countersFor(0)), 0)
    for (const { name: file, input } of keptInputs(name))
      expect({ file, fault: await execute({ input, target, coverage }) }).toEqual({ file, fault: undefined })
  })
})

const bundlePlanted = (name: string) => bundleTarget(name, { entry: join(import.meta.dirname, 'planted', `${name}.ts`), directory })

describe(`planted faults are found at seed ${SEED}`, () => {
  test.each([
    ['nesting', 2000, 'RangeError'],
    ['quadratic', 20_000, 'ms for'],
    ['deep-condition', 300_000, 'a size was taken at its word'],
  ])('%s, within %d executions', { timeout: 180_000 }, async (name, executions, words) => {
    const { file, branches, words: dictionary } = await bundlePlanted(name)
    const counters = installCounters(countersFor(branches))
    const { target }: { readonly target: Target } = await import(pathToFileURL(file).href)
    const fuzzer = new Fuzzer({ target, counters, branches, words: dictionary, seed: SEED, corpus: [] })
    await fuzzer.prime()
    while (fuzzer.faults.size === 0 && fuzzer.executions < executions) await fuzzer.turn()
    const [fault] = fuzzer.faults.values()
    expect(fault?.message).toContain(words)
    // What is slow was made smaller until it hardly was: on a machine that is quicker now, half of the limit tells.
    const again = { ...target, limit_ms: (target.limit_ms ?? TIME_LIMIT_MS) / 2 }
    expect(fault && (await execute({ input: fault.input, target: again, coverage: fuzzer.coverage }))?.key).toBe(fault?.key)
  })

  test('a cache without a limit, by the memory that its process holds', { timeout: 120_000 }, async () => {
    const bundle = await bundlePlanted('leak')
    const report = await superviseTarget({ target: 'leak', bundle, seed: SEED, seconds: 4, corpus: [], directory, scratch: directory })
    expect(report.faults.map(({ kind }) => kind)).toEqual(['growth'])
  })
})

test('both sides of a condition are counted, and what is compared becomes a word', () => {
  const source = `export const f = (x: string, y = 1): number => { if (x === 'magic') return y ? 1 : 2; for (const a of x) g(a); return x.length }`
  const { code, next, words } = instrument(source, { lang: 'ts', first: 10 })
  expect(next).toBe(17)
  expect(words).toContain('magic')
  expect(code).toContain(`if (x === 'magic') {$c[`)
  expect(code).toContain('else {$c[')
})

test.each(['{"a":1,"a":[2,{"b":"\\"x"}],"c":1e999}', '[]', '"x"', `${'['.repeat(20_000)}${']'.repeat(20_000)}`])(
  'a tree keeps %#',
  (text) => {
    const tree = treeOf(text)
    expect(tree && textOf(tree)).toBe(text)
  },
)

test.each(['{"a":1', '[1]]', '{"a"}:', '', '{1'])('%s is no tree, or is written as one that differs', (text) => {
  const tree = treeOf(text)
  expect(tree === undefined || textOf(tree) !== text).toBe(true)
})

test('an input is reduced to what matters, through its levels and its bytes', async () => {
  const input = Buffer.from(`{"noise":[1,2,3],"deep":${'['.repeat(500)}"needle"${']'.repeat(500)}}`)
  const holds = async (candidate: Uint8Array): Promise<boolean> => Buffer.from(candidate).includes('needle')
  const small = await reduceInput(input, { grammar: 'json', tries: 400, holds })
  expect(Buffer.from(small).toString()).toBe('needle')
})

test('growth is what is held beyond the warm-up, by the line through all samples', () => {
  const samples = Array.from({ length: 20 }, (_, at_s) => ({ at_s, bytes: 5e6 + at_s * 1000 }))
  expect(growth(samples)?.bytes_per_minute).toBeCloseTo(60_000)
  expect(growth(samples.slice(0, 3))).toBeUndefined()
})
