export type GeneratedFile = { readonly path: string; readonly content: string }

/** A cell of a Markdown table: bars and line breaks would end it. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`

export const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')
