// datatrove beside us: the same files, the same rules, one core each.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { runTimed } from './builds.ts'

const CACHE = join(homedir(), '.cache', 'ironlaw')
const ENVIRONMENT = join(CACHE, 'datatrove-venv')
const READY = join(ENVIRONMENT, 'READY')
const PACKAGES = ['datatrove[io,processing]==0.10.1', 'spacy', 'tokenizers']
const PROGRAM = join(import.meta.dirname, 'datatrove_pipeline.py')

/** As `npm run published-tokenizers` fetches it. */
export const TOKENIZER = join(CACHE, 'tokenizers', 'gpt2', 'tokenizer.json')

/** The Python of an environment that has it, made at the first use. */
function datatrovePython(): string {
  if (!existsSync(READY)) {
    mkdirSync(dirname(ENVIRONMENT), { recursive: true })
    execFileSync('python3', ['-m', 'venv', ENVIRONMENT])
    execFileSync(join(ENVIRONMENT, 'bin', 'pip'), ['install', '--quiet', ...PACKAGES], { stdio: 'inherit' })
    writeFileSync(READY, '')
  }
  return join(ENVIRONMENT, 'bin', 'python')
}

type Amount = { readonly documents: number; readonly bytes: number }

export type DatatroveRun = {
  readonly read: Amount
  readonly filtered: Amount
  readonly kept: Amount
  /** Processor seconds by stage; loading the libraries is not among them. */
  readonly seconds: Readonly<Record<'filter' | 'signatures' | 'buckets' | 'cluster' | 'write' | 'tokenise', number>>
}

export async function runDatatrove(source: string, work: string, core: string): Promise<DatatroveRun> {
  const { status, output, errors } = await runTimed([datatrovePython(), PROGRAM, source, work, TOKENIZER], core)
  if (status !== 0) throw new Error(`datatrove ended with status ${status}: ${errors.slice(-2000)}`)
  return JSON.parse(output) as DatatroveRun
}
