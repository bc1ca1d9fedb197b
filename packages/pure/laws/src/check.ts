// The book against its worked examples: every example is passed, failed or left out with a reason, none is lost.

import { type Law } from './law.ts'
import { exampleProblem, type OmittedExamples, type WorkedExample } from './worked.ts'

export type LawCheck = {
  readonly laws: number
  readonly examples: number
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly failures: readonly { readonly id: string; readonly law: string; readonly problem: string }[]
  readonly lawsWithoutExample: readonly string[]
}

export function checkLaws(book: ReadonlyMap<string, Law>, worked: readonly WorkedExample[], leftOut: OmittedExamples): LawCheck {
  const failures = worked.flatMap((example) => {
    const law = book.get(example.law)
    const problem = law ? exampleProblem(law, example) : 'no such law'
    return problem === undefined ? [] : [{ id: example.id, law: example.law, problem }]
  })
  const skipped = Object.values(leftOut).reduce((sum, { examples }) => sum + examples.length, 0)
  const shown = new Set(worked.map((example) => example.law))
  return {
    laws: book.size,
    examples: worked.length + skipped,
    passed: worked.length - failures.length,
    failed: failures.length,
    skipped,
    failures,
    lawsWithoutExample: [...book.keys()].filter((id) => !shown.has(id)),
  }
}
