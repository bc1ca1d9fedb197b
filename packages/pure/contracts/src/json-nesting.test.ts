import { expect, test } from 'vitest'
import { nestsDeeperThan } from './json-nesting.ts'

const isDeeper = (text: string, most: number): boolean => nestsDeeperThan(new TextEncoder().encode(text), most)

for (const [what, text, depth] of [
  ['an empty object', '{}', 1],
  ['siblings', '[[],[],{"a":[]}]', 3],
  ['brackets in strings', '["[[[[{{{{"]', 1],
  ['escaped quotes', String.raw`["\"[[","\\",[]]`, 2],
  ['an escaped backslash before the end of a string', String.raw`["\\\\",["\\\""]]`, 2],
  ['letters beyond ASCII', '["ä[ö","日[本",[]]', 2],
  ['a balanced nest', `${'[{"a":'.repeat(2500)}1${'}]'.repeat(2500)}`, 5000],
] as const)
  test(what, () => {
    expect([isDeeper(text, depth), isDeeper(text, depth - 1)]).toEqual([false, true])
  })

test('text that ends inside a string or an escape', () => {
  for (const text of ['["', '["\\', '["\\"', '"']) expect(isDeeper(text, 5)).toBe(false)
})
