// Splits a command line into words like a shell: spaces separate, quotes group. Nothing is expanded.

const WORD = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs
const PART = /\\.|"(?:[^"\\]|\\.)*"|'[^']*'/gs

export const commandWords = (line: string): readonly string[] => (line.match(WORD) ?? []).map((word) => word.replaceAll(PART, unquotedWord))

function unquotedWord(part: string): string {
  if (part.startsWith('\\')) return part.slice(1)
  return part.startsWith('"') ? part.slice(1, -1).replaceAll(/\\(.)/gs, '$1') : part.slice(1, -1)
}

/** Quotes words so that a shell reads them back unchanged. */
export const commandLine = (words: readonly string[]): string =>
  words.map((word) => (/^[\w@%+=:,./{}-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)).join(' ')
