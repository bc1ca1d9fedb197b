// Saves what is shown: its numbers as CSV, its image as PNG. The same two buttons under every chart and table.

import { type ReactNode, useState } from 'react'
import { type CsvRow, csvText } from './csv.ts'
import { saveFile } from './save-file.ts'

export type ExportToolsProps = {
  /** What it shows; names the files. */
  readonly label: string
  readonly rows: () => readonly CsvRow[]
  readonly picture: () => Promise<Blob>
}

const fileName = (label: string): string =>
  label
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60)

export function ExportTools({ label, rows, picture }: ExportToolsProps): ReactNode {
  const [problem, setProblem] = useState('')
  const name = fileName(label)
  const savePicture = (): void =>
    void picture().then(
      (blob) => saveFile(`${name}.png`, blob),
      (cause: unknown) => setProblem(cause instanceof Error ? cause.message : String(cause)),
    )
  return (
    <span className="export-tools">
      <button
        type="button"
        className="small"
        aria-label={`Save as CSV: ${label}`}
        onClick={() => saveFile(`${name}.csv`, new Blob([csvText(rows())], { type: 'text/csv' }))}
      >
        CSV
      </button>
      <button type="button" className="small" aria-label={`Save as PNG: ${label}`} onClick={savePicture}>
        PNG
      </button>
      {problem !== '' && <span role="alert">{problem}</span>}
    </span>
  )
}
