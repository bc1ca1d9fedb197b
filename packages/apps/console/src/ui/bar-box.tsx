// A list of bars that can be saved. Rows and image are read from the page, so that every such list has the tools of a table.

import { type ReactNode, useRef } from 'react'
import { ExportTools } from './export-tools.tsx'
import { shownPng } from './picture.ts'

export type BarBoxProps = {
  readonly label: string
  /** Headings of the values next to the bars, in order. */
  readonly heads: readonly string[]
  readonly children: ReactNode
}

export function BarBox({ label, heads, children }: BarBoxProps): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  const rows = (): readonly (readonly string[])[] => [heads, ...[...(box.current?.querySelectorAll('li') ?? [])].map(cellsOf)]
  return (
    <div className="table-box">
      <div ref={box}>{children}</div>
      <p className="table-tools">
        <ExportTools
          label={label}
          rows={rows}
          picture={() => (box.current ? shownPng(box.current) : Promise.reject(new Error('the bars are not drawn')))}
        />
      </p>
    </div>
  )
}

const cellsOf = (row: HTMLElement): readonly string[] =>
  [...row.querySelectorAll<HTMLElement>(':scope > :not(i, :has(i))')].map((cell) => cell.innerText.replaceAll(/\s+/g, ' ').trim())
