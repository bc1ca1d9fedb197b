// Figures of two items side by side, with the ratio of the second to the first.

import type { ReactNode } from 'react'
import { Empty } from '../ui/card.tsx'
import { TableBox } from '../ui/table-box.tsx'

export type DifferenceRow = {
  readonly name: string
  readonly left: string
  readonly right: string
  /** The second divided by the first, if that is meaningful. */
  readonly ratio?: number | undefined
}

export type DifferenceTableProps = {
  readonly label: string
  readonly heads: readonly [left: string, right: string]
  readonly rows: readonly DifferenceRow[]
  /** Shown if there are none. */
  readonly empty: string
}

export const DifferenceTable = ({ empty, ...table }: DifferenceTableProps): ReactNode =>
  table.rows.length === 0 ? <Empty>{empty}</Empty> : <Rows {...table} />

const Rows = ({ label, heads, rows }: Omit<DifferenceTableProps, 'empty'>): ReactNode => (
  <TableBox label={label}>
    <table>
      <thead>
        <tr>
          <th scope="col">Figure</th>
          <th scope="col" className="number">
            {heads[0]}
          </th>
          <th scope="col" className="number">
            {heads[1]}
          </th>
          <th scope="col" className="number">
            Second / first
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, left, right, ratio }) => (
          <tr key={name} className={left === right ? 'same' : ''}>
            <td>{name}</td>
            <td className="number wraps">{left}</td>
            <td className="number wraps">{right}</td>
            <td className="number">{ratio === undefined || !Number.isFinite(ratio) ? '' : `${ratio.toFixed(2)} ×`}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </TableBox>
)

/** A row of two numbers. */
export const numberRow = (
  name: string,
  [left, right]: readonly [number | undefined, number | undefined],
  format: (value: number) => string,
): DifferenceRow => ({
  name,
  left: left === undefined ? '–' : format(left),
  right: right === undefined ? '–' : format(right),
  ...(left !== undefined && right !== undefined && left > 0 && { ratio: right / left }),
})
