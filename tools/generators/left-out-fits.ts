// The coefficients of the training planner, fitted without each source in turn, for `ironlaw validate training`: a fit per source takes longer than
// anybody should wait for an answer.

import { builtInCatalog } from '@ironlaw/catalog'
import { fittedWithoutSources } from '@ironlaw/planner/validation'
import type { GeneratedFile } from './generated.ts'

const BUNDLE = 'packages/pure/planner/src/training-validation/left-out-fits.generated.json'

/** One source a line. */
export function leftOutFitsBundle(): GeneratedFile[] {
  const lines = [...fittedWithoutSources(builtInCatalog)].map(([source, values]) => {
    const rounded = [...values].map(([name, value]) => [name, Number(value.toPrecision(6))])
    return `${JSON.stringify(source)}: ${JSON.stringify(Object.fromEntries(rounded))}`
  })
  return [{ path: BUNDLE, content: `{\n${lines.join(',\n')}\n}\n` }]
}
