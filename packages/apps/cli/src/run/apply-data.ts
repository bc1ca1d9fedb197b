// `ironlaw apply` for a data spec: show what is read and done, confirm, and run it on the fleet. What it makes becomes an artifact.

import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { IronlawError, planId, quantityOf, RUN_FILE_CHARACTERS, RUN_FILES } from '@ironlaw/contracts'
import type { CreateRun } from '@ironlaw/contracts/api'
import { DATA_PLAN, DATA_RUN_STEPS, type DataPlan } from '@ironlaw/contracts/data-plan'
import { type DataSource, type DataSpec, dataSpecDigest, parseDataSpec, stepNames } from '@ironlaw/contracts/data-spec'
import type { JobPlan } from '@ironlaw/contracts/run-plan'
import { counted } from '@ironlaw/units'
import { api } from '../api/api-client.ts'
import { confirm } from '../confirm.ts'
import { context } from '../context/context.ts'
import { DATA_STEP_PATTERN } from '../data/data-run.ts'
import { readDocument } from '../input-file.ts'
import { paint } from '../paint.ts'
import type { ApplyFlags } from './apply-train.ts'
import { showDuration } from './run-text.ts'
import { startRun } from './start-run.ts'
import { withOrigin } from './with-origin.ts'

export async function applyData(file: string, flags: ApplyFlags): Promise<void> {
  if (flags.from !== undefined)
    throw new IronlawError('IL_USAGE', { problem: '--from starts a training run from a checkpoint; a dataset has none', command: 'apply' })
  const spec = parseDataSpec(readDocument(file), file)
  checkLength(spec, file)
  const made = dataRunBody(spec, resolve(dirname(file)), flags.plan === undefined ? undefined : planOf(flags.plan, spec))
  const { body, line } = await withOrigin(made, file)
  if (!flags.json) process.stdout.write(`${offerText(spec, body)}\n${line}\n`)
  if (flags.dryRun) return void (flags.json && process.stdout.write(`${JSON.stringify({ creates: body })}\n`))
  if (!flags.yes && !(await confirm({ question: 'run it?', command: 'apply' }))) return
  // A site without storage of artifacts says so now, and not when all is done.
  await api(context()).getArtifactStorage({})
  await startRun(context(), body, flags)
}

/** The run keeps the spec as it is now, as a file of its own. */
function checkLength(spec: DataSpec, file: string): void {
  const { length } = JSON.stringify(spec)
  if (length <= RUN_FILE_CHARACTERS) return
  throw new IronlawError(
    'IL_SPEC',
    { file, path: 'from', problem: `the spec has ${length} characters as JSON; a run takes at most ${RUN_FILE_CHARACTERS}` },
    { next: 'name directories or patterns such as raw/**/*.jsonl.zst instead of files one by one, or divide it into several specs' },
  )
}

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))
const SPEC_FILE = 'data.json'

/** The request to the control plane. `directory` is that of the spec; nodes see it, and this program, under the same paths. */
function dataRunBody(spec: DataSpec, directory: string, plan: DataPlan | undefined): CreateRun {
  const { project, resources, workers } = spec
  const nodes = resources?.nodes ?? 1
  const processesPerNode = Math.ceil((workers ?? nodes) / nodes)
  const uses = [...new Set(spec.from.flatMap(({ artifact }) => artifact ?? []))]
  const name = spec.name.replaceAll(/[._]/g, '-')
  return {
    name,
    project,
    plan: plan ?? unplanned(name, nodes * processesPerNode),
    program: {
      argv: [process.execPath, MAIN, 'data', 'work', `${RUN_FILES}/${SPEC_FILE}`],
      directory,
      environment: {},
      // As it is now: a spec that is edited later is that of another run.
      files: { [SPEC_FILE]: JSON.stringify(spec) },
      stepPattern: DATA_STEP_PATTERN,
    },
    shape: {
      nodes,
      processesPerNode,
      smaller: [],
      ...(resources?.memory !== undefined && { memory_bytes: quantityOf(resources.memory, 'B') }),
    },
    ...(uses.length > 0 && { uses }),
  }
}

/** A plan of other steps or sources predicts another dataset. */
function planOf(path: string, spec: DataSpec): DataPlan {
  const { data: plan } = DATA_PLAN.safeParse(readDocument(path))
  const next = 'write it with "ironlaw data plan SPEC --json"'
  if (!plan) throw new IronlawError('IL_DOCUMENT', { path, reason: 'it is not a plan of a data spec' }, { next })
  if (plan.spec !== dataSpecDigest(spec))
    throw new IronlawError('IL_DOCUMENT', { path, reason: 'it is the plan of another spec' }, { next })
  return plan
}

/** Nothing was probed, so nothing is predicted. */
function unplanned(name: string, processes: number): JobPlan {
  const plan = { apiVersion: 'ironlaw/v1', kind: 'Job', name, processes, steps: DATA_RUN_STEPS } as const
  return { ...plan, id: planId(plan) }
}

/** What the user is about to confirm. */
function offerText({ name, from, steps, workers }: DataSpec, { shape, program, plan }: CreateRun): string {
  const { nodes, processesPerNode } = shape
  const processes = counted(nodes * processesPerNode, 'process', 'processes')
  return [
    `${paint('bold', name)}: ${from.map(sourceText).join(', ')}`,
    `  ${stepNames(steps).join(', ') || 'no steps: documents as they are'}`,
    `  in ${program.directory}, ${processes} on ${counted(nodes, 'node')}${workers === undefined ? ' ("workers" sets how many)' : ''}`,
    `  becomes the artifact ${name}`,
    ...(plan.kind === 'Data' ? [`  predicted ${showDuration(plan.prediction.duration_s.value)} (${plan.id})`] : []),
  ].join('\n')
}

const sourceText = ({ name, files, artifact }: DataSource): string =>
  `${name} from ${artifact === undefined ? files : `artifact ${artifact}`}`
