// The commands of a README with what it says they print. A page shows what matters: "..." stands for the rest of a line, and alone on a line for
// any lines; columns may be wider or narrower.

export type ShownCommand = { readonly command: string; readonly prints: readonly string[] }

const BLOCK = /```console\n([\s\S]*?)```/g
const ELLIPSIS = '...'

export function commandsIn(page: string): readonly ShownCommand[] {
  const lines = [...page.matchAll(BLOCK)].flatMap(([, body = '']) => body.trimEnd().split('\n'))
  const starts = lines.flatMap((line, index) => (line.startsWith('$ ') ? [index] : []))
  return starts.map((start, index) => ({
    command: (lines[start] ?? '').slice(2),
    prints: lines.slice(start + 1, starts[index + 1]).filter((line) => line.trim() !== ''),
  }))
}

const literal = (text: string): string => RegExp.escape(text).replaceAll(/(?:\\x20| )+/g, ' +')

/** What comes before the first line shown and after the last counts as left out. */
export function matches(prints: readonly string[], output: string): boolean {
  const lines = prints.map((line) =>
    line.trim() === ELLIPSIS ? '(?:.*\\n)*?' : ` *${line.trim().split(ELLIPSIS).map(literal).join('.*')} *\\n`,
  )
  const printed = output
    .split('\n')
    .filter((line) => line.trim() !== '')
    .join('\n')
  return new RegExp(`^${lines.join('')}`, 'm').test(`${printed}\n`)
}
