// What an engine sends is not ours: it is checked before it is used.

import type * as z from 'zod'
import { type EngineAddress, engineError } from './engine-request.ts'

export function readEngineAnswer<Schema extends z.ZodType>(address: EngineAddress, schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw engineError(address, `its answer is not that of OpenAI's API: ${issue?.path.join('.')}: ${issue?.message}`)
}
