// A document of kind Serve as a person writes it: YAML from a file, then the schema.

import { parseServeSpec } from '@ironlaw/contracts/serve-spec'
import { runSpec, YAML_WORDS, SPEC_LIMIT_MS } from '../spec-file.ts'
import type { Target } from '../target.ts'

const SPEC = `apiVersion: ironlaw/v1
kind: Serve
name: chat
model: Llama-3.1-70B
traffic: { requests_per_s: 20, input_tokens: 1200, output_tokens: 300 }
objectives: { ttft: 800 ms, tpot: 50 ms, percentile: p90 }
`

export const target: Target = {
  grammar: 'text',
  seeds: [SPEC, JSON.stringify({ apiVersion: 'ironlaw/v1', kind: 'Serve' })],
  words: YAML_WORDS,
  limit_ms: SPEC_LIMIT_MS,
  run: runSpec(parseServeSpec),
}
