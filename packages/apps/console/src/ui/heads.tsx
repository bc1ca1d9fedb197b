// The column headings of a table; those of numbers are right-aligned.

import type { ReactNode } from 'react'

export const Heads = ({ names, numbers = false }: { readonly names: readonly string[]; readonly numbers?: boolean }): ReactNode =>
  names.map((name) => (
    <th key={name} scope="col" className={numbers ? 'number' : undefined}>
      {name}
    </th>
  ))
