// Calculon's own search, run from a checkout that the user names.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TimedSearch } from './ours.ts'

/** Runs a command and says what its processors did: the wall clock of a shared machine says little. */
const TIMED = `import resource, subprocess, sys
done = subprocess.run(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print('processor seconds:', used.ru_utime + used.ru_stime)
sys.exit(done.returncode)`

export function calculonSearch(folder: string, python: string): TimedSearch {
  const scratch = mkdtempSync(join(tmpdir(), 'calculon-'))
  const search = ['llm-optimal-execution', 'models/turing-530B.json', '5128', '2520', 'float16', 'systems/a100_80g.json']
  const command = [python, 'bin/calculon', ...search, join(scratch, 'best.json'), '-m', '-c', '1']
  const { stdout, stderr, status } = spawnSync(python, ['-c', TIMED, ...command], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: '.' },
  })
  rmSync(scratch, { recursive: true })
  const printedNumber = (label: string): number => Number(new RegExp(`${label}: ([0-9.]+)`).exec(stdout + stderr)?.[1] ?? Number.NaN)
  if (status !== 0) throw new Error(`calculon ended with ${status}: ${stderr.trim().split('\n').at(-1) ?? ''}`)
  return {
    configurations: printedNumber('Total executions'),
    cpu_s: printedNumber('processor seconds'),
    optimum: `best ${printedNumber('Best sample rate').toFixed(1)} sequences a second, ${printedNumber('Good executions').toLocaleString('en')} feasible`,
  }
}
