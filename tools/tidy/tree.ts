// The files that belong to the project: tracked by git, or new and not ignored.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')

export type Tree = { readonly paths: readonly string[]; readonly text: (path: string) => string }

export function projectTree(): Tree {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  const paths = listed.split('\n').filter((path) => path !== '' && existsSync(join(ROOT, path)))
  return { paths, text: (path) => readFileSync(join(ROOT, path), 'utf8') }
}

/** The rows of the first Markdown table whose header starts with the given cells. */
export function tableUnder(markdown: string, header: readonly string[]): readonly (readonly string[])[] {
  const lines = markdown.split('\n')
  const start = lines.findIndex((line) => line.startsWith('|') && header.every((cell, index) => cells(line)[index] === cell))
  if (start < 0) throw new Error(`ARCHITECTURE.md has no table with the columns ${header.join(', ')}`)
  const rows = lines.slice(start + 2)
  const end = rows.findIndex((line) => !line.startsWith('|'))
  return rows.slice(0, end < 0 ? undefined : end).map(cells)
}

const cells = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
