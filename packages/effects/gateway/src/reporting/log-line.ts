// One line of the request log: sizes and times, and the redacted text where the key's owner wants it.

import type { CallEnding } from '../admission/call.ts'
import type { CallOpening } from '../front/opening.ts'
import { redactedText } from './redact.ts'

const TEXT_LIMIT = 32_768

export function logLine({ requestId, caller, asked, path, body, startedAt }: CallOpening, ending: CallEnding, now: number): string {
  const text = caller.key.log === 'text' ? { text: redactedText(body.toString('utf8', 0, TEXT_LIMIT)) } : {}
  return JSON.stringify({
    at: new Date().toISOString(),
    request: requestId,
    tenant: caller.tenant.name,
    key: caller.key.sha256.slice(0, 8),
    path,
    model: asked.model,
    stream: asked.stream,
    status: ending.status,
    outcome: ending.outcome,
    replica: ending.replica,
    attempts: ending.attempts,
    prompt_tokens: ending.prompt,
    cached_tokens: ending.cached,
    completion_tokens: ending.completion,
    first_byte_s: ending.firstByte_s === undefined ? undefined : Number(ending.firstByte_s.toFixed(6)),
    took_s: Number((now - startedAt).toFixed(6)),
    body_bytes: body.length,
    ...text,
  })
}
