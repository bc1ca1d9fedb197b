// Every line of a third-party table as a case, or with the reason why it is none.

import type { RefusedCase, ServingCase } from './case.ts'
import { type CsvRow, csvRows } from './csv.ts'

export type ParsedCases = { readonly cases: readonly ServingCase[]; readonly refused: readonly RefusedCase[] }

export function casesIn(text: string, caseOf: (row: CsvRow) => ServingCase | RefusedCase): ParsedCases {
  const cases: ServingCase[] = []
  const refused: RefusedCase[] = []
  for (const row of csvRows(text)) {
    const made = caseOf(row)
    if ('reason' in made) refused.push(made)
    else cases.push(made)
  }
  return { cases, refused }
}
