// `ironlaw export` as a process: see engine-export.ts.

import { parseArgs } from 'node:util'
import { IronlawError } from '@ironlaw/contracts'
import * as z from 'zod'
import { runProgram } from './engine-edge.ts'
import { exportModel } from './engine-export.ts'

const FLAGS = {
  to: { type: 'string' },
  name: { type: 'string', default: 'model' },
  config: { type: 'string' },
  format: { type: 'string', default: 'gguf,safetensors' },
  quantise: { type: 'string', default: 'q8_0' },
  'held-out': { type: 'string' },
  lineage: { type: 'string', default: '{}' },
  seeded: { type: 'string' },
  python: { type: 'string', default: process.env['IRONLAW_PYTHON'] ?? '/usr/bin/python3' },
} as const

await runProgram(async () => {
  const { values: flags, positionals } = parseArgs({ options: FLAGS, allowPositionals: true })
  const [source] = positionals
  if (source === undefined || flags.to === undefined)
    throw new IronlawError('IL_USAGE', { problem: 'SOURCE and --to are needed', command: 'export' })
  const { name, format, quantise, python, config, seeded, 'held-out': heldOut } = flags
  const lineage = z.record(z.string(), z.json()).parse(JSON.parse(flags.lineage))
  const optional = {
    ...(config !== undefined && { config }),
    ...(heldOut !== undefined && { heldOut }),
    ...(seeded !== undefined && { seeded }),
  }
  await exportModel({ source, to: flags.to, name, format, quantise, python, lineage, ...optional }, (line) =>
    process.stderr.write(`${line}\n`),
  )
})
