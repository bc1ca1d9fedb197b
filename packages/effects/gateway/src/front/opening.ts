// A request that passed the front: authenticated, parsed, its model known.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ModelEntry } from '@ironlaw/contracts/gateway-snapshot'
import type { CompletionRequest } from './completion-request.ts'
import type { Caller } from '../configuration/directory.ts'
import type { Rates } from './reply.ts'
import type { Seat } from './seat.ts'

export type CallOpening = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
  readonly path: string
  readonly caller: Caller
  readonly rates: Rates
  readonly model: ModelEntry
  readonly asked: CompletionRequest
  readonly body: Buffer
  readonly seat: Seat
  readonly startedAt: number
  readonly deadline_s: number
}
