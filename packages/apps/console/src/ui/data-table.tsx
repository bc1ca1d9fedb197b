// A table that sorts by its headings and is filtered by typing; both are in the address as `NAME.sort` and `NAME.find`. Saved as it is shown.

import {
  columnFilteringFeature,
  createFilteredRowModel,
  createSortedRowModel,
  globalFilteringFeature,
  type AccessorFnColumnDef,
  type RowData,
  rowSortingFeature,
  type SortingState,
  sortFn_alphanumeric,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { type ReactNode, useMemo } from 'react'
import { parseHash, text } from '../address.ts'
import { useAddress } from '../use-address.ts'
import { FilterField, includesText, useFind } from './filter-field.tsx'
import { BUTTONS_CLASS, TableBox } from './table-box.tsx'

export type Column<Row> = {
  readonly name: string
  /** Sorted by this; text is also filtered by it. */
  readonly value: (row: Row) => string | number | undefined
  /** Shown instead of the value. */
  readonly cell?: (row: Row) => ReactNode
  readonly isNumber?: boolean
  /** Whether an order of the values has a meaning; it has none for figures of different units. */
  readonly isSortable?: boolean
  /** Neither sorted nor saved. */
  readonly hasButtons?: boolean
  readonly className?: string
}

export type DataTableProps<Row> = {
  /** In the address; one of its own for every table of a page. */
  readonly name: string
  readonly label: string
  /** Must not change, like `rows` while they are the same: both are indexed. */
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly rowProps?: (row: Row) => { readonly className?: string; readonly onClick?: (event: { readonly target: EventTarget }) => void }
  readonly isTall?: boolean
  /** Table parts after the rows, which neither order nor filter changes. */
  readonly after?: ReactNode
}

/** A time or a size is not shown as it is stored, so only text is searched. */
function matchesText(row: { readonly getValue: (id: string) => unknown }, id: string, find: string): boolean {
  const value = row.getValue(id)
  return typeof value === 'string' && includesText(value, find)
}

const FEATURES = tableFeatures({
  rowSortingFeature,
  columnFilteringFeature,
  globalFilteringFeature,
  sortedRowModel: createSortedRowModel(),
  filteredRowModel: createFilteredRowModel(),
  // Text in natural order (node2 before node10), anything else by size.
  sortFns: { alphanumeric: sortFn_alphanumeric, text: sortFn_alphanumeric },
  filterFns: { matchesText },
})

const columnId = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

/** `state,-created`: by state, then the newest first. */
const sortingOf = (written: string): SortingState =>
  written
    .split(',')
    .filter((part) => part !== '')
    .map((part) => ({ id: part.replace(/^-/, ''), desc: part.startsWith('-') }))

const writtenSort = (sorting: SortingState): string => sorting.map(({ id, desc }) => `${desc ? '-' : ''}${id}`).join(',')

export function DataTable<Row extends RowData>({
  name,
  label,
  columns,
  rows,
  keyOf,
  rowProps,
  isTall,
  after,
}: DataTableProps<Row>): ReactNode {
  const fields = useMemo(() => ({ [`${name}.sort`]: text('') }), [name])
  const [{ [`${name}.sort`]: sort = '' }, change] = useAddress(parseHash(location.hash).page, fields)
  const [find, setFind] = useFind(name)
  const defined = useMemo(() => columns.map(definedColumn), [columns])
  const sorting = sortingOf(sort).filter(({ id }) => defined.some((column) => column.id === id))
  const table = useTable({
    features: FEATURES,
    columns: defined,
    data: rows,
    getRowId: keyOf,
    globalFilterFn: 'matchesText',
    // By default the first row decides, whose value may be missing.
    getColumnCanGlobalFilter: () => true,
    state: { sorting, globalFilter: find },
    onSortingChange: (next) => change({ [`${name}.sort`]: writtenSort(typeof next === 'function' ? next(sorting) : next) }),
  })
  const shown = table.getRowModel().rows
  return (
    <>
      <FilterField label={label} find={find} onFind={setFind} shown={shown.length} total={rows.length} />
      <TableBox label={label} isTall={isTall}>
        <table>
          <thead>
            <tr>
              {table.getFlatHeaders().map(({ id, index, column }) => (
                <Heading key={id} of={columns[index]} order={column.getIsSorted()} onSort={column.getToggleSortingHandler()} />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ id, original }) => (
              <tr key={id} {...rowProps?.(original)}>
                {columns.map((column, at) => (
                  <td key={at} className={classOf(column, column.className)}>
                    {column.cell ? column.cell(original) : (column.value(original) ?? '–')}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
          {after}
        </table>
      </TableBox>
    </>
  )
}

const classOf = ({ isNumber, hasButtons }: Pick<Column<never>, 'isNumber' | 'hasButtons'>, own = ''): string | undefined =>
  [isNumber && 'number', hasButtons && BUTTONS_CLASS, own].filter(Boolean).join(' ') || undefined

/** Numbers are largest first at the first press, text is A to Z; a missing value comes last in both orders. */
const definedColumn = <Row extends RowData>(
  { name, value, isNumber = false, hasButtons = false, isSortable = !hasButtons }: Column<Row>,
  at: number,
): AccessorFnColumnDef<typeof FEATURES, Row> => ({
  // Two columns that hold what is compared may have the same name.
  id: isSortable ? columnId(name) : String(at),
  accessorFn: value,
  sortDescFirst: isNumber,
  sortUndefined: 'last',
  enableSorting: isSortable,
})

type HeadingProps = {
  readonly of: Pick<Column<never>, 'name' | 'isNumber' | 'isSortable' | 'hasButtons'> | undefined
  readonly order: false | 'asc' | 'desc'
  readonly onSort: ((event: unknown) => void) | undefined
}

/** With Shift, a further column orders the rows that the first leaves equal. */
const Heading = ({ of, order, onSort }: HeadingProps): ReactNode =>
  of && (
    <th scope="col" className={classOf(of)} aria-sort={order === false ? undefined : ORDERS[order]}>
      {of.isSortable === false || of.hasButtons === true ? (
        of.name
      ) : (
        <button type="button" className="sort" onClick={onSort}>
          {of.name}
        </button>
      )}
    </th>
  )

const ORDERS = { asc: 'ascending', desc: 'descending' } as const
