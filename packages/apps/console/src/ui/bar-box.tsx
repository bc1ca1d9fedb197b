// A list of bars or a timeline that can be saved. Its image is read from the page; its rows too, unless they are given.

import { type ReactNode, useRef } from 'react'
import type { CsvRow } from './csv.ts'
import { ExportTools } from './export-tools.tsx'
import { shownPng } from './picture.ts'

export type BarBoxProps = {
  readonly label: string
  /** Headings of the values next to the bars, in order. */
  readonly heads: readonly string[]
  /** For bars that show more than is written next to them. None can be saved until there are any. */
  readonly rows?: readonly CsvRow[]
  readonly children: ReactNode
}

export function BarBox({ label, heads, rows: given, children }: BarBoxProps): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  const rows = (): readonly CsvRow[] => [heads, ...(given ?? [...(box.current?.querySelectorAll('li') ?? [])].map(cellsOf))]
  return (
    <div className="table-box">
      <div ref={box}>{children}</div>
      {given?.length !== 0 && (
        <p className="table-tools">
          <ExportTools
            label={label}
            rows={rows}
            picture={() => (box.current ? shownPng(box.current) : Promise.reject(new Error('the bars are not drawn')))}
          />
        </p>
      )}
    </div>
  )
}

const cellsOf = (row: HTMLElement): readonly string[] =>
  [...row.querySelectorAll<HTMLElement>(':scope > :not(i, :has(i))')].map((cell) => cell.innerText.replaceAll(/\s+/g, ' ').trim())
