// The body of a request to the gateway, through everything that reads or rewrites it before an engine sees it.

import {
  estimatedPrompt,
  mostOutput,
  parseRequest,
  prefixText,
  upstreamBody,
} from '../../../packages/effects/gateway/src/front/completion-request.ts'
import type { Endpoint } from '../../../packages/effects/gateway/src/front/endpoints.ts'
import { redactedText } from '../../../packages/effects/gateway/src/reporting/redact.ts'
import { MODEL_DEFAULTS } from '@ironlaw/contracts/gateway-snapshot'
import type { Target } from '../target.ts'

const ENDPOINTS: readonly Endpoint[] = ['chat', 'completions', 'embeddings']
const REWRITES = [
  { rename: undefined, cap: undefined, salt: undefined },
  { rename: 'renamed', cap: undefined, salt: undefined },
  { rename: undefined, cap: 64, salt: 'tenant' },
  { rename: 'renamed', cap: 64, salt: 'tenant' },
] as const
const MODEL = { ...MODEL_DEFAULTS, targets: [{ pool: 'main', weight: 1 }] }

export const target: Target = {
  grammar: 'json',
  seeds: [
    '{"model":"m","messages":[{"role":"user","content":"tokens=1"}]}',
    '{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"x"}]}],"stream":true,"stream_options":{"include_usage":true}}',
    '{"model":"m","prompt":["a","b"],"max_tokens":5,"n":2,"user":"u","stream":true}',
    '{"model":"m","prompt":[1,2,3],"max_completion_tokens":null,"max_tokens":null}',
    '{"model":"m","prompt":"x","cache_salt":"mine","stream":true}',
    '{"model":"m","input":[[1,2],[3]],"encoding_format":"base64"}',
  ],
  words: [
    'model',
    'messages',
    'prompt',
    'input',
    'stream',
    'stream_options',
    'include_usage',
    'max_tokens',
    'n',
    'user',
    'tools',
    'a@b.co',
    '+49 1234 5678',
  ],
  run: (input, mark) => {
    for (const endpoint of ENDPOINTS) {
      const request = parseRequest(endpoint, input)
      if (!('fields' in request)) {
        mark(`${endpoint} ${request.code} ${request.param ?? ''}`)
        continue
      }
      prefixText(request)
      estimatedPrompt(request)
      mostOutput(request, MODEL)
      for (const rewrite of REWRITES) checkRewritten(upstreamBody(input, request, rewrite), { ...rewrite, usage: request.stream })
    }
    redactedText(input.toString('utf8', 0, 32_768))
  },
}

type ExpectedRewrite = { readonly rename: string | undefined; readonly salt: string | undefined; readonly usage: boolean }

type SentBody = { readonly model?: unknown; readonly cache_salt?: unknown; readonly stream_options?: { readonly include_usage?: unknown } }

/** What the engine is sent is JSON with what the gateway relies on: its name for the model, the tenant's salt, usage at a stream's end. */
function checkRewritten(body: Buffer, { rename, salt, usage }: ExpectedRewrite): void {
  const sent: SentBody = JSON.parse(body.toString('utf8'))
  if (sent.cache_salt !== salt) throw new Error('the salt is not the one of the tenant')
  if (rename !== undefined && sent.model !== rename) throw new Error('the model was not renamed')
  if (usage && sent.stream_options?.include_usage !== true) throw new Error('usage was not requested')
}
