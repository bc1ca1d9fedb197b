// Comma-separated text with quoted cells, as the third-party files have it.

export type CsvRow = Readonly<Record<string, string>>

export function csvRows(text: string): readonly CsvRow[] {
  const [head = '', ...lines] = text.trim().split(/\r?\n/)
  const names = cellsOf(head)
  return lines.map((line) => {
    const cells = cellsOf(line)
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']))
  })
}

function cellsOf(line: string): readonly string[] {
  const cells: string[] = []
  let cell = ''
  let quoted = false
  for (const character of line) {
    if (character === '"') quoted = !quoted
    else if (character === ',' && !quoted) {
      cells.push(cell)
      cell = ''
    } else cell += character
  }
  return [...cells, cell]
}

/** 0 where nothing is written. */
export const numberOf = (row: CsvRow, name: string): number => Number(row[name] ?? '') || 0
