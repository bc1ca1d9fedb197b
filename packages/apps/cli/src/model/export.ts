// `ironlaw export`: resolves the name of a run to its directory and metadata from the control plane; the server's program does the rest.

import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { MODEL_VERSION, MODEL_VERSION_FILE, type ModelVersion } from '@ironlaw/contracts/model-version'
import { EXPORT_FLAGS } from '@ironlaw/contracts/programs'
import { showPercent } from '@ironlaw/units'
import { printAnswer } from '../answer.ts'
import { readDocument } from '../input-file.ts'
import { context } from '../context/context.ts'
import { findRun } from '../run/find-run.ts'
import { endInterrupted, INTERRUPTED } from '../interruption.ts'
import { table } from '../table.ts'
import { flagArguments, type ProgramFlags } from '../programs/program-flags.ts'
import { startProgram } from '../programs/start-program.ts'

export type ExportFlags = ProgramFlags & {
  readonly to: string
  readonly name?: string
  readonly data?: string
  readonly code?: string
  readonly environment?: string
  readonly runs?: string
  readonly json?: true
}

export async function exportModel(named: string, flags: ExportFlags): Promise<void> {
  const { to, data, code, environment } = flags
  const source = existsSync(named) ? { path: named, name: 'model', lineage: {} } : await fetchRunSource(named, flags.runs)
  const lineage = JSON.stringify({
    ...source.lineage,
    ...(data !== undefined && { data: { description: data } }),
    ...(code !== undefined && { code: { version: code } }),
    ...(environment !== undefined && { environment }),
  })
  const status = await startProgram(
    '@ironlaw/server/export',
    [...flagArguments(EXPORT_FLAGS, { ...flags, name: flags.name ?? source.name }), '--lineage', lineage, source.path],
    { group: true },
  )
  if (status === INTERRUPTED)
    endInterrupted({
      what: `the export is not complete: ${to} has no ${MODEL_VERSION_FILE}, and no engine opens it`,
      next: `run the command again, which overwrites it, or remove ${to}`,
    })
  process.exitCode = status
  if (status !== 0) return
  const version = MODEL_VERSION.parse(readDocument(join(to, MODEL_VERSION_FILE)))
  printAnswer({ json: version, text: () => versionText(version) }, flags.json === true)
}

async function fetchRunSource(named: string, runs = process.env['IRONLAW_RUNS'] ?? join(homedir(), '.ironlaw', 'runs')) {
  const run = await findRun(context(), named)
  return { path: join(runs, run.id), name: run.name, lineage: { run: run.id, plan: run.plan, code: { argv: run.argv } } }
}

function versionText({ id, name, files, evaluation, lineage }: ModelVersion): string {
  const { run, plan, attempt, step } = lineage
  const from = Object.entries({ run, plan, attempt, step }).flatMap(([field, value]) => (value == null ? [] : [`${field} ${value}`]))
  const rows = files.map(({ path, bytes, sha256, weights }) => {
    const proof = evaluation?.variants.find((variant) => variant.weights === weights)
    return [
      path,
      String(bytes),
      sha256.slice(0, 12),
      proof ? proof.perplexity.toFixed(4) : '',
      proof ? showPercent(proof.perplexity_change, 3) : '',
      proof ? proof.logit_difference_max.toPrecision(2) : '',
    ]
  })
  const head = ['file', 'bytes', 'sha256', 'perplexity', 'against PyTorch', 'largest logit difference']
  const proved = evaluation
    ? `PyTorch: perplexity ${evaluation.pytorch.perplexity.toFixed(4)} on ${evaluation.tokens} tokens ${evaluation.text ? 'of held-out text' : 'drawn by a fixed rule'}, ${evaluation.prompts} prompts`
    : 'not evaluated: no GGUF was written'
  return [`${name} ${id}${from.length > 0 ? ` from ${from.join(', ')}` : ''}`, '', table(head, rows), '', proved].join('\n')
}
