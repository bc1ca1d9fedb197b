// A planted fault: a body that is parsed and then written again. JSON.parse takes any nesting, JSON.stringify runs out of stack, as the
// gateway's rewriting of requests once did.

import type { Target } from '../target.ts'
import { rewrittenModel } from './rewrite.ts'

export const target: Target = {
  grammar: 'json',
  seeds: ['{"model":"m","messages":[{"role":"user","content":"x"}]}'],
  run: (input) => void rewrittenModel(input.toString('utf8')),
}
