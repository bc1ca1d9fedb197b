// A trace of requests in one of the published formats, or a gateway's own log.

import { parseTrace } from '../../../packages/pure/simulator/src/traces/parse-trace.ts'
import type { Target } from '../target.ts'

export const target: Target = {
  grammar: 'text',
  seeds: [
    'TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:50.9951690,396,109\n',
    'Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,472,18,490,Conversation log\n45,GPT-4,1,2,3,API log\n',
    'arrival_s,input_tokens,output_tokens\n0,10,5\n1.5,20,7\n',
    '{"timestamp": 0, "input_length": 600, "output_length": 50, "hash_ids": [0, 1]}\n{"timestamp": 3000, "input_length": 6, "output_length": 5, "hash_ids": []}\n',
    '{"at":"2026-11-15T10:00:00.000Z","tenant":"one","prompt_tokens":5,"completion_tokens":3,"status":200,"took_s":0.5,"prefix_hashes":["a"]}\n',
  ],
  run: (input, mark) => {
    const parsed = parseTrace(input.toString('utf8'))
    mark(parsed.ok ? parsed.format : parsed.problem.slice(0, 20).replaceAll(/\d+/g, '_'))
  },
}
