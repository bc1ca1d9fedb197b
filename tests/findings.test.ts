// Every finding of the review stands in docs/security/findings.md, and every test that it names exists.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const rows = readFileSync(join(ROOT, 'docs/security/findings.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| [FRp]\d+ \|/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))

const pathOf = (name: string): string | undefined =>
  [name, ...['packages/effects', 'packages/pure', 'packages/apps'].map((folder) => name.replace(/^(\w+)\//, `${folder}/$1/src/`))].find(
    (path) => existsSync(join(ROOT, path)),
  )

test('all findings are listed once', () => {
  const numbered = (letter: string, count: number): string[] => Array.from({ length: count }, (_, index) => `${letter}${index + 1}`)
  expect(rows.map(([, id]) => id)).toEqual([...numbered('F', 22), ...numbered('R', 7), 'p16', 'p24'])
})

test.each(rows)('%s %s', (_, _id, _finding, state = '', held = '') => {
  const named = [...held.matchAll(/`([^`]+)`: ([^;]+)(?:;|$)/g)]
  if (!state.startsWith('left')) expect(named.length).toBeGreaterThan(0)
  for (const [, name = '', title = ''] of named) {
    const path = pathOf(name)
    expect(path, `${name} exists`).toBeDefined()
    expect(readFileSync(join(ROOT, path ?? ''), 'utf8')).toContain(title.trim())
  }
})
