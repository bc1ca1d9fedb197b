// A sweep spec with the request for each of its trials: that of the spec which it names, with other arguments.

import { dirname, resolve } from 'node:path'
import { hash } from 'node:crypto'
import { canonicalJson, IronlawError } from '@ironlaw/contracts'
import type { CreateRun } from '@ironlaw/contracts/api'
import { parseJobSpec } from '@ironlaw/contracts/job-spec'
import { parseSweepSpec, type SweepSpec } from '@ironlaw/contracts/sweep-spec'
import { type TrialArguments, trialArguments } from '@ironlaw/policies/sweep'
import { catalogFor } from '../catalog/catalog-source.ts'
import { readDocument } from '../input-file.ts'
import { specKind } from '../plan/spec-kind.ts'
import { jobRunBody } from '../run/apply-job.ts'
import { prepareRun } from '../run/apply-train.ts'
import { withOrigin } from '../run/with-origin.ts'

export type SweepFlags = { readonly with?: string; readonly acceptInexact?: true }

export type TrialRequest = {
  /** From 0; people see it from 1. */
  readonly trial: number
  readonly arguments: TrialArguments
  readonly body: CreateRun
  /** The same trial is created once, however often it is asked for. */
  readonly key: string
}

export type Sweep = {
  readonly spec: SweepSpec
  readonly trials: readonly TrialRequest[]
  /** Of one run, where its spec says. */
  readonly steps?: number
  /** Of one run, where its plan predicts it. */
  readonly predicted?: { readonly duration_s: number; readonly cost_usd?: number }
  readonly codeLine: string
}

export async function readSweep(file: string, flags: SweepFlags): Promise<Sweep> {
  const spec = parseSweepSpec(readDocument(file), file)
  const path = resolve(dirname(file), spec.run)
  const base = await readRun(path, flags)
  if (spec.stopping && base.steps !== undefined && spec.stopping.first >= base.steps)
    throw new IronlawError(
      'IL_SPEC',
      { file, path: 'stopping.first', problem: `a run has ${base.steps} steps, so that nothing is compared after ${spec.stopping.first}` },
      { next: 'compare after fewer steps, or leave "stopping" out' },
    )
  const { body, line } = await withOrigin(base.body, path)
  const trials = trialArguments(spec)
  const digits = String(trials.length).length
  return {
    ...base,
    spec,
    trials: trials.map((own, trial) => requestOf(body, { spec, trial, digits, arguments: own })),
    codeLine: line,
  }
}

type Base = Pick<Sweep, 'steps' | 'predicted'> & { readonly body: CreateRun }

async function readRun(path: string, flags: SweepFlags): Promise<Base> {
  const kind = specKind(path)
  if (kind === 'Job') {
    const spec = parseJobSpec(readDocument(path), path)
    const body = jobRunBody(catalogFor(flags.with), spec, dirname(path))
    return { body, ...(spec.steps?.total !== undefined && { steps: spec.steps.total }) }
  }
  if (kind !== 'Train')
    throw new IronlawError(
      'IL_SPEC',
      { file: path, path: 'kind', problem: `a sweep tries runs of kind Train or Job, not ${kind}` },
      { next: 'name a training spec or a job spec under "run" of the sweep' },
    )
  const { body, plan } = await prepareRun(path, flags)
  const { duration_s, cost_usd } = plan.prediction
  return {
    body,
    steps: Math.ceil(plan.tokens / (plan.sequence * plan.globalBatch)),
    predicted: { duration_s, ...(cost_usd !== undefined && { cost_usd }) },
  }
}

type TrialOf = { readonly spec: SweepSpec; readonly trial: number; readonly digits: number; readonly arguments: TrialArguments }

function requestOf(base: CreateRun, { spec, trial, digits, arguments: own }: TrialOf): TrialRequest {
  const name = `${spec.name}-${String(trial + 1).padStart(digits, '0')}`
  const argv = withArguments(base.program.argv, own)
  const body = { ...base, name, program: { ...base.program, argv } }
  const key = `sweep-${hash('sha256', canonicalJson({ name, project: base.project, plan: base.plan.id, argv }))}`
  return { trial, arguments: own, body, key }
}

/** As flags take them, `--lr 0.1`; a name that ends in "=" is joined to its value, as Hydra expects it. */
function withArguments(argv: readonly string[], own: TrialArguments): string[] {
  const words = Object.entries(own).flatMap(([name, value]) => (name.endsWith('=') ? [`${name}${value}`] : [name, String(value)]))
  const [shell, flag, command = ''] = argv
  if (shell === '/bin/sh' && flag === '-c') return [shell, flag, [command, ...words.map(quoted)].join(' ')]
  return [...argv, ...words]
}

const quoted = (word: string): string => (/^[\w.,=:/+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)
