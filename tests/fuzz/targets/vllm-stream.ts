// What a server with vLLM's API answers, as the engine that stands for it reads it: events, refusals, metrics. The server is the edge of
// our process, so the seam is fetch itself.

import { IronlawError } from '@ironlaw/contracts'
import { VllmEngine } from '@ironlaw/engines/vllm'
import * as z from 'zod'
import { piecesOf } from '../pieces.ts'
import type { Target } from '../target.ts'

const server: { answer: Buffer; status: number } = { answer: Buffer.alloc(0), status: 200 }
const realFetch = globalThis.fetch

const serve = async (): Promise<Response> =>
  new Response(
    new ReadableStream({
      start: (controller) => {
        for (const piece of piecesOf(server.answer)) controller.enqueue(new Uint8Array(piece))
        controller.close()
      },
    }),
    { status: server.status },
  )

const engine = new VllmEngine({ url: 'http://127.0.0.1:1', slots: 1 }, { id: 'm', context_tokens: 100, slots: 1 })
const sampling = { temperature: 0, top_p: 1, top_k: 0, min_p: 0, frequency_penalty: 0, presence_penalty: 0 }

export const target: Target = {
  grammar: 'text',
  seeds: [
    'data: {"choices":[{"text":"a","finish_reason":"length","logprobs":{"tokens":["a"],"token_logprobs":[-1],"top_logprobs":[{"a":-1}]}}]}\n\ndata: [DONE]\n\n',
    'data: {"choices":[{"delta":{"content":"x"},"logprobs":{"content":[{"token":"x","logprob":-1,"top_logprobs":[]}]}}],"usage":{"prompt_tokens":1}}\n\n',
    '{"error":{"message":"maximum context length is 5","param":"p","code":"context_length_exceeded"}}',
    '{"data":[{"embedding":[0.5]}],"usage":{"prompt_tokens":1}}',
    'vllm:num_requests_running{a="b"} 1.0\nvllm:kv_cache_usage_perc 0.5\n',
  ],
  words: ['data: {', '\n\n', 'cached_tokens', 'prompt_tokens_details', 'completion_tokens', 'NaN', 'vllm:prefix_cache_hits_total '],
  run: async (input, mark) => {
    globalThis.fetch = serve
    const { signal } = new AbortController()
    const generate = async (): Promise<void> => {
      for await (const part of engine.generate({ prompt: { kind: 'text', text: 'x' }, sampling, stop: [], ignore_end: false }, signal))
        mark(part.part)
    }
    for (const status of [200, 400]) {
      server.answer = input
      server.status = status
      for (const act of [generate, () => engine.embed(['x'], signal), () => engine.vitals()]) await markRefusal(act(), mark)
    }
    globalThis.fetch = realFetch
  },
}

/** A server that talks nonsense is a broken engine, which throws: what a schema or JSON.parse says of it, or our own word. */
async function markRefusal(pending: Promise<unknown>, mark: (state: string) => void): Promise<void> {
  try {
    await pending
  } catch (cause) {
    if (!(cause instanceof IronlawError || cause instanceof z.ZodError || cause instanceof SyntaxError)) throw cause
    mark(cause.name)
  }
}
