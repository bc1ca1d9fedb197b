// A document of kind Access as a person writes it: YAML from a file, then the schema.

import { parseAccessSpec } from '@ironlaw/contracts/access-spec'
import { runSpec, YAML_WORDS, SPEC_LIMIT_MS } from '../spec-file.ts'
import type { Target } from '../target.ts'

const SPEC = `apiVersion: ironlaw/v1
kind: Access
tenants:
  search: { weight: 2, requests_per_minute: 100 }
keys:
  - { sha256: ${'a'.repeat(64)}, tenant: search, models: [m], log: sizes }
models:
  m: { max_output_tokens: 64 }
`

export const target: Target = {
  grammar: 'text',
  seeds: [SPEC, JSON.stringify({ apiVersion: 'ironlaw/v1', kind: 'Access' })],
  words: YAML_WORDS,
  limit_ms: SPEC_LIMIT_MS,
  run: runSpec(parseAccessSpec),
}
