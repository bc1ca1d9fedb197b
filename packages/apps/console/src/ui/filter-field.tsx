// Filters a list by typing. What is typed is in the address as `NAME.find`.

import { type ReactNode, useMemo } from 'react'
import { parseHash, text } from '../address.ts'
import { useAddress } from '../use-address.ts'

/** `name` is that of the list, one of its own on the page. */
export function useFind(name: string): readonly [find: string, setFind: (find: string) => void] {
  const field = `${name}.find`
  const fields = useMemo(() => ({ [field]: text('') }), [field])
  const [state, change] = useAddress(parseHash(location.hash).page, fields)
  return [state[field] ?? '', (find) => change({ [field]: find })]
}

export const includesText = (whole: string, find: string): boolean => whole.toLowerCase().includes(find.toLowerCase())

/** A shorter list is read faster than filtered. */
const FILTERED_FROM = 10

export type FilterFieldProps = {
  readonly label: string
  readonly find: string
  readonly onFind: (find: string) => void
  readonly shown: number
  readonly total: number
}

export const FilterField = ({ label, find, onFind, shown, total }: FilterFieldProps): ReactNode =>
  (total >= FILTERED_FROM || find !== '') && (
    <p className="table-filter">
      <input
        type="search"
        aria-label={`Filter: ${label}`}
        placeholder="Filter"
        value={find}
        onChange={({ target }) => onFind(target.value)}
      />
      <span className="quiet" role="status">
        {find === '' ? '' : `${shown} of ${total}`}
      </span>
    </p>
  )
