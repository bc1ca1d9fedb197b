// One line of log for a request, in OpenTelemetry's names for generative AI. No text of prompt or answer.

import type { Outcome } from './generation.ts'
import type { EmbedCall, GenerateCall } from './openai-request.ts'
import type { Timings } from './timings.ts'

export type RequestLine = Readonly<Record<string, string | number | readonly string[]>>

export function requestLine(call: GenerateCall | EmbedCall, outcome: Outcome, took_s: number): RequestLine {
  return {
    'gen_ai.provider.name': 'ironlaw',
    'gen_ai.operation.name': 'requests' in call ? call.operation : 'embeddings',
    'gen_ai.request.model': call.model,
    'gen_ai.server.request.duration': took_s,
    ...(outcome.outcome === 'refused'
      ? { 'error.type': outcome.error.code }
      : {
          'gen_ai.usage.input_tokens': outcome.usage.prompt_tokens,
          'gen_ai.usage.cache_read.input_tokens': outcome.usage.cached_tokens,
          'gen_ai.usage.output_tokens': outcome.usage.completion_tokens,
          'gen_ai.response.finish_reasons': outcome.outcome === 'aborted' ? ['aborted'] : outcome.reasons,
          ...(outcome.outcome === 'answered' && outcome.timings && timingFields(outcome.timings)),
        }),
  }
}

/** The conventions have no names for these. */
const timingFields = ({ queue_s, prefill_s, decode_s }: Timings): RequestLine => ({
  'ironlaw.queue_s': queue_s,
  'ironlaw.prefill_s': prefill_s,
  'ironlaw.decode_s': decode_s,
})
