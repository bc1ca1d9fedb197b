// A document of kind Job as a person writes it: YAML from a file, then the schema, which compiles a pattern and matches nothing with it.

import { parseJobSpec } from '@ironlaw/contracts/job-spec'
import { runSpec, YAML_WORDS, SPEC_LIMIT_MS } from '../spec-file.ts'
import type { Target } from '../target.ts'

const SPEC = `apiVersion: ironlaw/v1
kind: Job
name: ddp
command: python3 ddp.py
resources: { nodes: 2, processesPerNode: 2, accelerators: { kind: h100-sxm, perNode: 2 }, memory: 4 GB }
timeLimit: 2h
steps: { pattern: 'step (?<step>\\d+)(?P<loss>(a+)+)$', total: 5 }
`

export const target: Target = {
  grammar: 'text',
  seeds: [SPEC, JSON.stringify({ apiVersion: 'ironlaw/v1', kind: 'Job', name: 'x', program: ['x.py'] })],
  words: YAML_WORDS,
  limit_ms: SPEC_LIMIT_MS,
  run: runSpec(parseJobSpec),
}
