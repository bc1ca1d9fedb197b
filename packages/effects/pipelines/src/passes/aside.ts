// Records that were set aside because they violate the contract with their source: JSON lines that say which, why, and what was there.

import { type Pipeline, shownPath } from '../pipeline.ts'
import type { Unit } from '../unit.ts'
import { writeContent } from '../work-directory.ts'
import type { SetAside } from './flow.ts'

const MOST_SHOWN = 2000

/** No file where nothing was set aside. */
export async function writeAside(pipeline: Pipeline, unit: Unit, aside: readonly SetAside[]): Promise<void> {
  if (aside.length === 0) return
  const file = shownPath(pipeline, unit.file)
  const lines = aside.map(({ record, violation: { rule, problem }, raw }) => {
    const content = raw.kind === 'line' ? raw.bytes.toString('utf8', 0, MOST_SHOWN) : raw.kind === 'fields' ? raw.fields : null
    return `${JSON.stringify({ file, start: unit.start, record: record + 1, rule, problem, content })}\n`
  })
  await writeContent(pipeline.files.aside(unit.number), lines.join(''))
}
