// Every line of a third-party table as a case, or with the reason why it is none.

import type { Refused, ServingCase } from './case.ts'
import { type CsvRow, csvRows } from './csv.ts'

export type Cases = { readonly cases: readonly ServingCase[]; readonly refused: readonly Refused[] }

export function casesIn(text: string, caseOf: (row: CsvRow) => ServingCase | Refused): Cases {
  const cases: ServingCase[] = []
  const refused: Refused[] = []
  for (const row of csvRows(text)) {
    const made = caseOf(row)
    if ('reason' in made) refused.push(made)
    else cases.push(made)
  }
  return { cases, refused }
}
