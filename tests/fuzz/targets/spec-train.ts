// A document of kind Train as a person writes it: YAML from a file, then the schema.

import { parseTrainSpec } from '@ironlaw/contracts/train-spec'
import { runSpec, YAML_WORDS, SPEC_LIMIT_MS } from '../spec-file.ts'
import type { Target } from '../target.ts'

const SPEC = `apiVersion: ironlaw/v1
kind: Train
name: llama-70b
model: Llama-3.1-70B
tokens: 2T tokens
sequence: 8192
globalBatch: 1024
fleet: { accelerator: h100-sxm, count: 512 }
region: france
deadline: 60d
`

export const target: Target = {
  grammar: 'text',
  seeds: [SPEC, JSON.stringify({ apiVersion: 'ironlaw/v1', kind: 'Train' })],
  words: YAML_WORDS,
  limit_ms: SPEC_LIMIT_MS,
  run: runSpec(parseTrainSpec),
}
