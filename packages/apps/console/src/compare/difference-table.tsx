// Figures of two items side by side, with the ratio of the second to the first.

import { type ReactNode, useMemo } from 'react'
import { Empty } from '../ui/card.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import type { DifferenceRow } from './difference-row.ts'

export type DifferenceTableProps = {
  /** In the address. */
  readonly name: string
  readonly label: string
  readonly heads: readonly [left: string, right: string]
  readonly rows: readonly DifferenceRow[]
  /** Shown if there are none. */
  readonly empty: string
}

export const DifferenceTable = ({ empty, ...table }: DifferenceTableProps): ReactNode =>
  table.rows.length === 0 ? <Empty>{empty}</Empty> : <Rows {...table} />

function Rows({ name, label, heads: [left, right], rows }: Omit<DifferenceTableProps, 'empty'>): ReactNode {
  const columns = useMemo(
    (): readonly Column<DifferenceRow>[] => [
      { name: 'Figure', value: (row) => row.name, cell: (row) => <span title={row.path}>{row.name}</span> },
      { name: left, isNumber: true, isSortable: false, className: 'wraps', value: (row) => row.left },
      { name: right, isNumber: true, isSortable: false, className: 'wraps', value: (row) => row.right },
      {
        name: 'Second / first',
        isNumber: true,
        value: ratioOf,
        cell: (row) => {
          const ratio = ratioOf(row)
          return ratio === undefined ? '' : `${ratio.toFixed(2)} ×`
        },
      },
    ],
    [left, right],
  )
  return (
    <DataTable
      name={name}
      label={label}
      columns={columns}
      rows={rows}
      keyOf={(row) => row.path ?? row.name}
      rowProps={(row) => ({ className: row.left === row.right ? 'same' : '' })}
    />
  )
}

const ratioOf = ({ ratio }: DifferenceRow): number | undefined => (Number.isFinite(ratio) ? ratio : undefined)
