// Frameworks as their makers publish them, in a virtual environment outside of the checkout: made once, found again by what is in it.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Without their dependencies where those pull in builds for accelerators that a processor does not need. */
const PACKAGES: readonly (readonly [how: readonly string[], packages: readonly string[]])[] = [
  [[], ['torch==2.11.0', 'numpy', 'setuptools', 'wheel']],
  [['--no-deps'], ['torchtitan==0.2.2', 'megatron-core==0.16.1']],
  [[], ['torchdata', 'datasets', 'tyro', 'tensorboard', 'einops', 'tokenizers', 'tomli', 'pillow']],
  [[], ['transformers==5.22.2', 'accelerate==1.15.0', 'lightning==2.6.6']],
  [['--no-build-isolation'], ['deepspeed==0.19.8']],
]

const KEY = createHash('sha256').update(JSON.stringify(PACKAGES)).digest('hex').slice(0, 12)
const INSTALL_MS = 45 * 60_000

/** The interpreter of the environment, or why there is none. `E2E_FRAMEWORKS` names one that was made by hand. */
export function frameworkPython(): { readonly python: string } | { readonly missing: string } {
  const given = process.env['E2E_FRAMEWORKS']
  const folder = given ?? join(homedir(), '.cache/ironlaw', `frameworks-${KEY}`)
  const python = join(folder, 'bin/python')
  const whole = join(folder, 'whole')
  if (given !== undefined || existsSync(whole)) return existsSync(python) ? { python } : { missing: `there is no ${python}` }
  if (process.env['E2E_FRAMEWORKS_INSTALL'] !== '1')
    return { missing: `${folder} is not there; E2E_FRAMEWORKS_INSTALL=1 makes it (about 8 GB from the package index)` }
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, '..'), { recursive: true })
  run('python3', ['-m', 'venv', folder])
  for (const [how, packages] of PACKAGES) run(join(folder, 'bin/pip'), ['install', '--quiet', ...how, ...packages])
  writeFileSync(whole, `${JSON.stringify(PACKAGES, undefined, 2)}\n`)
  return { python }
}

const run = (command: string, words: readonly string[]): unknown =>
  execFileSync(command, words, { stdio: ['ignore', 'inherit', 'inherit'], timeout: INSTALL_MS, env: { ...process.env, DS_BUILD_OPS: '0' } })
