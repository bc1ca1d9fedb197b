// A stream of events from an engine as the gateway reads along with it, and the words it takes out of an answer to compare.

import { answerText } from '../../../packages/effects/gateway/src/delivery/answer-text.ts'
import { engineError } from '../../../packages/effects/gateway/src/delivery/engine-error.ts'
import { StreamWatch } from '../../../packages/effects/gateway/src/delivery/stream-watch.ts'
import { piecesOf } from '../pieces.ts'
import type { Target } from '../target.ts'

const chunk =
  '{"id":"a","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null}]}'
const call = '{"choices":[{"index":1,"delta":{"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}}]}'
const usage = '{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":1}}}'

export const target: Target = {
  grammar: 'text',
  seeds: [
    `data: ${chunk}\n\ndata: ${usage}\n\ndata: [DONE]\n\n`,
    `data: ${call}\r\n\r\ndata:{"error":{"message":"x","code":400}}\n\n: comment\n\n`,
    '{"choices":[{"text":"a"},{"message":{"content":"b"}}],"usage":{"prompt_tokens":1}}',
    '{"error":{"message":"m","type":"t","param":"p","code":"c"},"detail":[{"loc":["body"]}]}',
  ],
  words: ['data: ', 'data:', '[DONE]', '"usage":{', '"choices":[]', 'event: x\n', '\n\n', '\r\n\r\n'],
  run: (input, mark) => {
    for (const stripUsage of [true, false]) {
      const watch = new StreamWatch({ stripUsage })
      for (const piece of piecesOf(input)) {
        const { kind } = watch.inspect(piece)
        mark(kind)
        if (kind === 'broken') break
      }
      JSON.stringify([watch.usage, watch.frame, watch.done, watch.failed])
    }
    const text = input.toString('utf8')
    answerText(text, true)
    answerText(text, false)
    engineError(400, input)
  },
}
