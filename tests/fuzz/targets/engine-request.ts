// A body as the engine host takes it from a client or a gateway.

import { parsedBody } from '../../../packages/effects/engines/src/host/request-body.ts'
import { chatCall, completionCall, embedCall } from '../../../packages/effects/engines/src/host/openai-request.ts'
import type { Target } from '../target.ts'

export const target: Target = {
  grammar: 'json',
  seeds: [
    '{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"x"}]},{"role":"assistant","content":null}],"n":2,"seed":7,"logprobs":true,"top_logprobs":3}',
    '{"model":"m","prompt":["a","b"],"max_tokens":5,"stop":["x"],"stream":true,"stream_options":{"include_usage":true},"temperature":0,"top_k":-1}',
    '{"model":"m","prompt":[[1,2],[3]],"logprobs":2,"echo":false,"response_format":{"type":"json_schema","json_schema":{"schema":{"type":"object"}}}}',
    '{"model":"m","prompt":[1099511627776]}',
    '{"model":"m","input":["a"],"encoding_format":"base64"}',
  ],
  run: (input, mark) => {
    const body = jsonBody(input)
    if (!body || 'problem' in body) return
    for (const read of [chatCall, completionCall, embedCall]) {
      const call = read(body.json)
      mark(`${read.name} ${'status' in call ? `${call.code} ${call.param ?? ''}`.replaceAll(/\d+/g, '*').slice(0, 60) : 'taken'}`)
      JSON.stringify(call)
    }
  },
}

function jsonBody(input: Buffer): ReturnType<typeof parsedBody> | undefined {
  try {
    return parsedBody(input)
  } catch {
    return undefined
  }
}
