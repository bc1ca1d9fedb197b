// A data run on a real Slurm cluster with PostgreSQL: a worker is killed, a node dies and the control plane is killed while it works. The dataset must have the
// bits of a build by one worker on one machine.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunView } from '@ironlaw/contracts/api'
import { sparePorts } from '../../../tools/testbed/ports.ts'
import { startTestbed, type Testbed } from '../../../tools/testbed/testbed.ts'
import { ControlPlane } from '../training/control-plane.ts'
import { rankPid } from '../training/rank-process.ts'
import { ironlaw, until, waitForEnd } from '../training/trained-run.ts'
import { digestOf, runBuild, writeSpec } from './builds.ts'
import { corpusOf, writeCorpus } from './corpus.ts'
import { figure, type Goal } from './goals.ts'

const NAME = 'slurm'
/** Two for the run, one to replace the one that dies. */
const NODES = { all: 3, used: 2 } as const
const FILES = 12

type Scene = { readonly testbed: Testbed; readonly plane: ControlPlane; readonly directory: string }

export async function slurmGoals({ directory, gigabytes }: { readonly directory: string; readonly gigabytes: number }): Promise<Goal[]> {
  const source = join(directory, 'slurm-corpus')
  const spec = await writeSource(source, gigabytes)
  const to = join(directory, 'slurm-alone')
  writeFileSync(join(source, 'go'), '')
  await runBuild({ spec, work: join(directory, 'slurm-work'), to, workers: 1 })
  rmSync(join(source, 'go'))
  const testbed = await startTestbed({ nodes: NODES.all })
  const plane = new ControlPlane(testbed, await sparePorts(1))
  try {
    await plane.start()
    return await runGoals({ testbed, plane, directory }, spec, await digestOf(to))
  } catch (cause) {
    throw new Error(`on Slurm: ${plane.output.split('\n').slice(-20).join('\n')}`, { cause })
  } finally {
    await plane.kill('SIGTERM')
    await testbed.stop()
  }
}

/** The later half of the documents waits until the file `go` is there: so much is done, and so much is left, when things fail. */
const GATE = (half: string): string => `import json, os, sys, time
for line in sys.stdin:
    while json.loads(line)["id"] >= "${half}" and not os.path.exists("go"):
        time.sleep(0.05)
    print('{"keep": true}', flush=True)
`

async function writeSource(source: string, gigabytes: number): Promise<string> {
  await writeCorpus(source, corpusOf(gigabytes, { seed: 7, clean: true }))
  const written = readdirSync(source).filter((name) => name.endsWith('.jsonl'))
  const lines = written.toSorted().flatMap((name) => readFileSync(join(source, name), 'utf8').trimEnd().split('\n'))
  for (const name of written) rmSync(join(source, name))
  const each = Math.ceil(lines.length / FILES)
  mkdirSync(join(source, 'documents'))
  for (let file = 0; file < FILES; file += 1)
    writeFileSync(
      join(source, 'documents', `${String(file).padStart(2, '0')}.jsonl`),
      `${lines.slice(file * each, (file + 1) * each).join('\n')}\n`,
    )
  const { id }: { readonly id: string } = JSON.parse(lines[each * (FILES / 2)] ?? '{}')
  writeFileSync(join(source, 'gate.py'), GATE(id))
  const steps = [{ expect: {} }, { filter: { command: ['python3', 'gate.py'] } }, { redact: {} }, { deduplicate: {} }]
  const resources = { workers: NODES.used, resources: { nodes: NODES.used } }
  return writeSpec(source, { name: NAME, from: [{ name: 'web', files: 'documents/*.jsonl' }], steps, ...resources })
}

async function runGoals(scene: Scene, spec: string, alone: string): Promise<Goal[]> {
  const { testbed, plane, directory } = scene
  const applied: RunView = JSON.parse(await ironlaw(plane, ['apply', spec, '--yes', '--json']))
  const from = performance.now()
  const working = async (attempt: number): Promise<RunView> =>
    await until(plane, applied.id, (run) => run.state === 'running' && run.attempt === attempt)
  await until(plane, applied.id, ({ step = 0 }) => step > 0)
  process.kill(rankPid(applied.id, 1), 'SIGKILL')
  await working(2)
  await plane.kill()
  await plane.start()
  await working(2)
  await testbed.killNode((await plane.attempts(applied.id)).at(-1)?.placed?.[1] ?? '')
  await working(3)
  writeFileSync(join(directory, 'slurm-corpus', 'go'), '')
  const run = await waitForEnd(plane, applied.id)
  const seconds = (performance.now() - from) / 1e3
  const restored = join(directory, 'slurm-restored')
  await ironlaw(plane, ['artifact', 'restore', NAME, '--to', restored])
  const digest = await digestOf(restored)
  return [
    figure('run on Slurm', `${run.state} after ${seconds.toFixed(0)} s${run.outcome ? `: ${run.outcome.detail}` : ''}`),
    { what: '  same bits as one worker alone', measured: digest.slice(0, 12), goal: alone.slice(0, 12), isMet: digest === alone },
    await causesGoal(scene, run),
    ...(await recordGoals(scene, run)),
  ]
}

async function causesGoal({ plane }: Scene, { id }: RunView): Promise<Goal> {
  const causes = (await plane.attempts(id)).map(({ outcome }) => outcome?.cause ?? '')
  const goal = ['rank-died', 'node-lost', 'completed'].join(', ')
  return { what: '  attempts', measured: causes.join(', '), goal, isMet: causes.join(', ') === goal }
}

/** What stays of a run: its steps, what it made and used, and where its time went. */
async function recordGoals({ plane, directory }: Scene, { id, step, steps }: RunView): Promise<Goal[]> {
  const rows = await plane.steps(id)
  const made = (await plane.ask<{ readonly made_by?: string }>(`/v1/projects/default/artifacts/${NAME}`)).made_by
  const ledger = await ironlaw(plane, ['ledger', id])
  const shown = ['recovery', 'filter', 'deduplicate'].filter((word) => ledger.includes(word))
  const again = writeSpec(directory, { name: 'again', from: [{ name: 'made', artifact: NAME }], steps: [] })
  const used: RunView = JSON.parse(await ironlaw(plane, ['apply', again, '--yes', '--json']))
  const next = await waitForEnd(plane, used.id)
  const trace = await ironlaw(plane, ['trace', 'again', '--up'])
  return [
    {
      what: '  steps',
      measured: `${step} of ${steps} in ${rows.length} rows`,
      goal: '1000 of 1000',
      isMet: step === 1000 && steps === 1000 && rows.length > 1,
    },
    { what: '  artifact made by', measured: made ?? '', goal: id, isMet: made === id },
    { what: '  ledger shows', measured: shown.join(', '), goal: 'recovery, filter, deduplicate', isMet: shown.length === 3 },
    {
      what: '  artifact used by the next run',
      measured: `${next.state}, ${next.uses?.length ?? 0} used`,
      goal: 'succeeded, 1 used',
      isMet: next.state === 'succeeded' && next.uses?.length === 1 && trace.includes(id),
    },
  ]
}
