// A log that Inspect itself wrote, imported: each scorer's mean is the one that Inspect reports.

import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inspectEvaluation } from '@ironlaw/contracts/harness-logs'
import { startEngineHost } from '@ironlaw/engines'
import { openLlama } from '@ironlaw/engines/llamacpp'
import { meanScore } from '@ironlaw/policies/evaluation'
import { seededModel } from '../../../packages/effects/engines/src/llamacpp/seeded-model.fixture.ts'
import { isEqual, type ScoredMetric, scoreTable } from './score-table.ts'

const VENV = process.env['INSPECT_VENV'] ?? join(homedir(), '.cache/ironlaw/inspect-venv')

/** Whether all scores are equal; also where Inspect is not installed, which is said. */
export async function inspectScores(): Promise<boolean> {
  const python = join(VENV, 'bin/python')
  if (!existsSync(python)) {
    console.log(`inspect is skipped: ${python} is missing; python3 -m venv ${VENV} && ${VENV}/bin/pip install inspect_ai openai`)
    return true
  }
  const directory = mkdtempSync(join(tmpdir(), 'ironlaw-inspect-'))
  const engine = await openLlama({
    file: seededModel({ hidden: 64, layers: 2, heads: 4, context: 512 }),
    id: 'seeded',
    threads: 1,
    slots: 2,
  })
  const host = await startEngineHost({ engine, max_queued: 64 })
  try {
    await host.warm()
    await promisify(execFile)(python, [join(import.meta.dirname, 'inspect_log.py'), host.url, 'seeded', directory])
    const [file] = globSync(join(directory, 'log', '*.json'))
    if (file === undefined) throw new Error('inspect wrote no log')
    const rows = rowsOf(JSON.parse(readFileSync(file, 'utf8')), file)
    console.log(scoreTable('Inspect', rows))
    return rows.length > 0 && rows.every(isEqual)
  } finally {
    await host.stop()
    await engine.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

type ReportedScores = {
  readonly results: {
    readonly scores: readonly { readonly name: string; readonly metrics: Readonly<Record<string, { readonly value: number }>> }[]
  }
}

const rowsOf = (log: ReportedScores, file: string): readonly ScoredMetric[] =>
  log.results.scores.map(({ name, metrics }) => ({
    task: 'words',
    metric: name,
    theirs: (metrics['accuracy'] ?? metrics['mean'])?.value ?? Number.NaN,
    ours: meanScore(inspectEvaluation(log, file, name).results).value,
  }))
