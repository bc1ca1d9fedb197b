// The folder in which mistakes are made.

import { type ChildProcess, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const ROOT = join(import.meta.dirname, '../..')

const spec = (...fields: readonly string[]): string =>
  ['apiVersion: ironlaw/v1', 'kind: Train', 'name: mine', 'model: Llama-3.1-8B', ...fields, ''].join('\n')

const FLEET = 'fleet: { accelerator: h100-sxm, count: 64 }'
const JOB = ['tokens: 300B tokens', 'sequence: 8192', 'globalBatch: 1024']

const job = (name: string, ...fields: readonly string[]): string =>
  ['apiVersion: ironlaw/v1', 'kind: Job', `name: ${name}`, ...fields, ''].join('\n')

const FILES: Readonly<Record<string, string>> = {
  'train.yaml': spec(...JOB, FLEET),
  'indentation.yaml': spec(...JOB, 'fleet: accelerator: h100-sxm', '  count: 64'),
  'tab.yaml': spec(...JOB, 'fleet:', '\taccelerator: h100-sxm', '\tcount: 64'),
  'snake-case.yaml': spec('tokens: 300B tokens', 'sequence: 8192', 'global_batch: 1024', FLEET),
  'several.yaml': spec('tokens: 300B tokens', 'sequence: long', 'global_batch: 1024', 'goal: fun', 'fleet: { accelerator: h100-sxm }'),
  'kind.yaml': spec(...JOB, FLEET).replace('kind: Train', 'kind: Training'),
  'link.yaml': spec(...JOB, 'fleet: { accelerator: h100-sxm, count: 64, link: 100GB }'),
  'tensor.yaml': spec(...JOB, FLEET, 'strategy: { tensor: 3 }'),
  'deadline.yaml': spec(...JOB, FLEET, 'deadline: 1d', 'strategy: { tensor: 1, pipeline: 1, context: 1, microbatch: 1, recompute: none }'),
  'waits.yaml': job('waits', 'command: echo ready; sleep 600'),
  'absent.yaml': job('absent', 'program: [no-such-program]'),
  'edge.json': JSON.stringify({ version: 1, tenants: {}, keys: [], pools: {}, models: {} }),
  'sleep.yaml': [
    'apiVersion: ironlaw/v1',
    'kind: Train',
    'name: sleep',
    'model: reference-trainer/tiny.config.json',
    'tokens: 614400 tokens',
    'sequence: 128',
    'globalBatch: 16',
    'precision: fp32',
    'runtime: fsdp-eager',
    'fleet: { accelerator: cpu-core, count: 1, perNode: 1, link: 10 Gb/s }',
    'strategy: { tensor: 1, pipeline: 1, context: 1, data: 1, microbatch: 4, shards: optimizer, recompute: none }',
    "run: { program: [sleep, '600'] }",
    '',
  ].join('\n'),
}

/** Processes that were started there and run, no matter which process started them. */
export const processesOf = ({ home }: Pick<TestHome, 'home'>): readonly { readonly pid: number; readonly command: string }[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isBelow(home, textOf(`/proc/${name}/environ`)))
    .map((name) => ({ pid: Number(name), command: textOf(`/proc/${name}/cmdline`).replaceAll('\0', ' ') }))

/** Jobs have a home of their own below it. */
const isBelow = (home: string, environment: string): boolean =>
  environment.split('\0').some((variable) => variable === `HOME=${home}` || variable.startsWith(`HOME=${home}/`))

/** Nothing where the process has ended, or is another user's. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

export type TestHome = { readonly home: string; readonly folder: string; readonly environment: Readonly<Record<string, string>> }

/** A home with a project in it, and `ironlaw` on the PATH. */
export function createTestHome(): TestHome {
  const home = mkdtempSync(join(tmpdir(), 'ironlaw-mistakes-'))
  const [folder, programs, bare] = [join(home, 'project'), join(home, 'bin'), join(home, 'bin-without-slurm')]
  for (const directory of [folder, join(folder, 'edge'), programs, bare]) mkdirSync(directory)
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text)
  for (const name of ['before.plan.json', 'serve.yaml']) copyFileSync(join(ROOT, 'tests/fixtures', name), join(folder, name))
  cpSync(join(ROOT, 'examples/reference-trainer'), join(folder, 'reference-trainer'), { recursive: true })
  for (const directory of [programs, bare]) {
    const command = join(directory, 'ironlaw')
    writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'packages/apps/cli/src/main.ts')}" "$@"\n`)
    chmodSync(command, 0o755)
  }
  return {
    home,
    folder,
    environment: { HOME: home, PATH: `${programs}:/usr/bin:/bin`, PATH_WITHOUT_SLURM: bare, NO_COLOR: '1', TERM: 'dumb', COLUMNS: '120' },
  }
}

const KILL_MS = 100

/** Ends what was started, and whatever that has left running; the home goes with it. */
export async function stopAll({ home }: Pick<TestHome, 'home'>, started: readonly ChildProcess[]): Promise<void> {
  for (const child of started) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  // The run that was followed, and whatever a failing command has left.
  for (let left = processesOf({ home }); left.length > 0; left = processesOf({ home })) {
    // One that has ended by itself meanwhile is no fault. Agents may start others while they are ended.
    spawnSync('kill', ['-9', ...left.map(({ pid }) => String(pid))], { stdio: 'ignore' })
    await pause(KILL_MS)
  }
  rmSync(home, { recursive: true, force: true, maxRetries: 10 })
}
