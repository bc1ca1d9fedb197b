// The JSON Schema of a training spec, for editors to complete and check against.

import { trainSpecSchema } from '@ironlaw/contracts/train-spec'
import type { Generated } from './generated.ts'

export const schemaPage = (): Generated[] => [
  { path: 'docs/reference/train.schema.json', content: `${JSON.stringify(trainSpecSchema(), undefined, 2)}\n` },
]
