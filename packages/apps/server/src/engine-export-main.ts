// `ironlaw export` as a process: see engine-export.ts.

import { parseArgs } from 'node:util'
import { IronlawError } from '@ironlaw/contracts'
import { type FlagTable, parseOptions, readFlags } from '@ironlaw/contracts/program-flags'
import { EXPORT_FLAGS } from '@ironlaw/contracts/programs'
import * as z from 'zod'
import { runProgram } from './engine-edge.ts'
import { exportModel } from './engine-export.ts'

const FLAGS = {
  ...EXPORT_FLAGS,
  lineage: { value: 'json', help: 'where the model comes from, for the record', default: '{}' },
} as const satisfies FlagTable

await runProgram(async () => {
  const { values, positionals } = parseArgs({ options: parseOptions(FLAGS), allowPositionals: true })
  const flags = readFlags(FLAGS, { command: 'export', values, environment: process.env })
  const [source] = positionals
  if (source === undefined) throw new IronlawError('IL_USAGE', { problem: 'SOURCE is missing', command: 'export' })
  const { name = 'model', format, quantise, python, config, seeded, 'held-out': heldOut } = flags
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
