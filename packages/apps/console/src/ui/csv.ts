// Rows as CSV (RFC 4180).

export type CsvRow = readonly (string | number)[]

export const csvText = (rows: readonly CsvRow[]): string => rows.map((row) => row.map(cell).join(',')).join('\r\n')

/** Spreadsheets run text that begins like a formula; a leading quote keeps it text. */
function cell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r]/.test(value) && !/^[+-]?[\d.,]+(?:\s?[a-z%$/×]+)?$/i.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
