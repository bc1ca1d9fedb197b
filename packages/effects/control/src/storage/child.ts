// The process in which shared storage is touched: one request at a time, and it ends with its parent. It may be killed at any moment.

import * as z from 'zod'
import { OPERATIONS, type OperationName, performOperation } from './operations.ts'

const REQUEST = z.object({ id: z.int(), name: z.enum(Object.keys(OPERATIONS) as [OperationName, ...OperationName[]]), input: z.unknown() })

process.on('message', (message) => void respond(REQUEST.parse(message)))
// A call that hangs would keep an orderly exit waiting.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.send?.({ ready: true })

async function respond({ id, name, input }: z.infer<typeof REQUEST>): Promise<void> {
  process.send?.({ id, ...(await outcomeOf(name, input)) })
}

async function outcomeOf(name: OperationName, input: unknown): Promise<{ answer: unknown } | { failure: string }> {
  try {
    return { answer: await performOperation(name, input) }
  } catch (cause) {
    return { failure: cause instanceof Error ? cause.message : String(cause) }
  }
}
