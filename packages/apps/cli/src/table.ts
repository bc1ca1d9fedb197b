import Table from 'cli-table3'
import { paint } from './paint.ts'

const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
}

/** Columns aligned by the width people see; numbers to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], right: readonly number[] = []): string {
  const made = new Table({
    head: head.map((title) => paint('dim', title)),
    chars: NO_LINES,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    colAligns: head.map((_, index) => (right.includes(index) ? 'right' : 'left')),
  })
  made.push(...rows.map((row) => [...row]))
  return made
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
}
