// A table that scrolls in its own box and can be saved. Rows are read from the page, so that every table has the same tools.

import { type ReactNode, useRef } from 'react'
import { ExportTools } from './export-tools.tsx'
import { tablePng } from './picture.ts'

/** Of cells that hold buttons, which are not saved. */
export const BUTTONS_CLASS = 'buttons'

export type TableBoxProps = {
  readonly label: string
  /** Whether it scrolls inside its card. */
  readonly isTall?: boolean | undefined
  readonly children: ReactNode
}

export function TableBox({ label, isTall = false, children }: TableBoxProps): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  const rows = (): string[][] =>
    [...(box.current?.querySelectorAll('tr') ?? [])].map((row) =>
      [...row.cells].filter((cell) => !cell.classList.contains(BUTTONS_CLASS)).map((cell) => cell.innerText.replaceAll(/\s+/g, ' ').trim()),
    )
  return (
    <div className="table-box">
      <div ref={box} className={isTall ? 'scroll tall' : 'scroll'} tabIndex={0} role="region" aria-label={label}>
        {children}
      </div>
      <p className="table-tools">
        <ExportTools label={label} rows={rows} picture={() => tablePng(rows())} />
      </p>
    </div>
  )
}
