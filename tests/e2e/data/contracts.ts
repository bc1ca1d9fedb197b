// A source that breaks its contract stops the pipeline, and the message says where to look.

import { existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tryBuild, writeSpec } from './builds.ts'
import { TRIGGER } from './document-lines.ts'
import { type Corpus, FILE_DOCUMENTS, fileName, plannedDocument } from './documents.ts'
import type { Goal } from './goals.ts'

export const contract = (violations: 'stop' | number): object => ({
  expect: {
    fields: {
      id: { type: 'string', matches: '^(?:d|debian-)\\d+$' },
      url: { type: 'string', most: 2000 },
      text: { type: 'string', least: 40, without: TRIGGER },
    },
    statistics: [{ field: 'url', mean: [20, 150] }],
    violations,
  },
})

type Stop = {
  readonly directory: string
  readonly name: string
  readonly line: RegExp
  readonly holds?: (match: RegExpExecArray) => boolean
}

/** Of the error that a command prints as JSON. */
function messageOf(errors: string): string {
  const line = errors.split('\n').find((each) => each.startsWith('{"error"'))
  return line === undefined ? errors : (JSON.parse(line) as { readonly error: { readonly message: string } }).error.message
}

/** @param holds whether what the message names is so */
async function stopGoal(what: string, { directory, name, line, holds }: Stop): Promise<Goal> {
  const spec = writeSpec(directory, { name, from: [{ name, files: '*.jsonl' }], steps: [contract('stop'), { deduplicate: {} }] })
  const to = join(directory, 'never')
  const { status, errors } = await tryBuild({ spec, work: join(directory, 'work'), to, workers: 2 })
  const said = messageOf(errors).replaceAll(`${directory}/`, '')
  const match = line.exec(said)
  const isRight = match !== null && holds?.(match) !== false && status !== 0 && !existsSync(to)
  return { what, measured: said, goal: 'names record, rule and file', isMet: isRight }
}

/** Lines that are sound one by one, and as a source are not what it was. */
const shiftedLines = (): string =>
  Array.from({ length: 200 }, (_, i) =>
    JSON.stringify({
      id: `d${i}`,
      url: `https://elsewhere.example/${'x'.repeat(300)}/${i}`,
      text: `Sound text number ${i}, which is long enough for the rule.`,
    }),
  ).join('\n')

export async function contractGoals(directory: string, corpus: Corpus): Promise<Goal[]> {
  const broken = join(directory, 'broken')
  mkdirSync(broken)
  linkSync(join(directory, 'corpus', fileName(0)), join(broken, fileName(0)))
  const shifted = join(directory, 'shifted')
  mkdirSync(shifted)
  writeFileSync(join(shifted, 'shifted.jsonl'), shiftedLines())
  const goals = [
    await stopGoal('a broken source stops the pipeline', {
      directory: broken,
      name: 'broken',
      line: /web-00000\.jsonl: record (\d+): .*\(rule [\w.-]+\)/,
      holds: ([, record]) => Number(record) <= FILE_DOCUMENTS && plannedDocument(corpus, Number(record) - 1).kind === 'broken',
    }),
    await stopGoal('a source with other statistics stops the pipeline', {
      directory: shifted,
      name: 'shifted',
      line: /source shifted: the mean of url is \d+.*\(rule url\.mean\)/,
    }),
  ]
  for (const path of [broken, shifted]) rmSync(path, { recursive: true })
  return goals
}
