// A spec through the reader of the command line and its schema. Refusals are errors of our catalogue.

import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readDocument } from '../../packages/apps/cli/src/input-file.ts'
import { refusalOf, stateOf } from './schema-states.ts'
import type { Target } from './target.ts'

const directory = mkdtempSync(join(tmpdir(), 'ironlaw-fuzz-'))

/** A user's own file, on their own machine: the library for YAML collects every error, 12,000 of them in 25 kB of quotes. */
export const SPEC_LIMIT_MS = 2000

export const YAML_WORDS = [
  '&a',
  '*a',
  '<<: ',
  '- ',
  ': ',
  '? ',
  '| ',
  '>-',
  '!!str ',
  '%YAML 1.1',
  '---',
  '...',
  '{',
  '[',
  '"',
  "'",
  '\t',
  '#',
  '~',
]

export const runSpec = (parse: (document: unknown, file: string) => unknown): Target['run'] => {
  const file = join(directory, 'spec.yaml')
  return (input, mark) => {
    writeFileSync(file, input)
    const refusal = refusalOf(() => parse(readDocument(file), file))
    mark(refusal ? stateOf(refusal).replace(file, '') : 'taken')
  }
}
