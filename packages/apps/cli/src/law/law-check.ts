import { book, checkLaws } from '@ironlaw/laws'
import { omittedExamples, workedExamples } from '@ironlaw/laws/examples'
import type { CommandAnswer } from '../answer.ts'
import { table } from '../table.ts'

export function lawCheckAnswer(): CommandAnswer {
  const { failures, lawsWithoutExample, ...counts } = checkLaws(book, workedExamples, omittedExamples)
  return {
    json: { ...counts, ...(failures.length > 0 && { failures }) },
    text: () =>
      [
        `${counts.laws} laws, ${counts.examples} worked examples: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped (plain arithmetic and exercises; docs/laws/left-out.md)`,
        ...(failures.length > 0
          ? [
              table(
                ['example', 'law', 'problem'],
                failures.map(({ id, law, problem }) => [id, law, problem]),
              ),
            ]
          : []),
        ...lawsWithoutExample.map((id) => `${id} has no worked example`),
      ].join('\n'),
    ...(failures.length > 0 && { exit: 3 }),
  }
}
