import { fc, test } from '@fast-check/vitest'
import { expect } from 'vitest'
import { commandLine, commandWords } from './command-words.ts'

test.each([
  ['train.py --steps 200', ['train.py', '--steps', '200']],
  [String.raw`a "b c" 'd "e"' f\ g`, ['a', 'b c', 'd "e"', 'f g']],
  ['  ', []],
  ["''", ['']],
])('%s', (line, words) => {
  expect(commandWords(line)).toEqual(words)
})

test.prop([fc.array(fc.string({ minLength: 1 }))])('words survive being written as a line', (words) => {
  expect(commandWords(commandLine(words))).toEqual(words)
})
