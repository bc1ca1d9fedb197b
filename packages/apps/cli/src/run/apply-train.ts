// `ironlaw apply` for a training spec: plan, show the price, confirm, and run it.

import { dirname, resolve } from 'node:path'
import type { Catalog } from '@ironlaw/catalog'
import { IronlawError, quantityOf, type TrainingPlan } from '@ironlaw/contracts'
import type { CreateRun } from '@ironlaw/contracts/api'
import type { TrainSpec } from '@ironlaw/contracts/train-spec'
import { answerSteps, expectedStall, nodesOf, resourcesOf, type TrainingAnswer } from '@ironlaw/planner'
import { expectedLosses, reliabilityForecast, statedFailures } from '@ironlaw/simulator'
import { dollars, seconds, show } from '@ironlaw/units'
import { catalogFor } from '../catalog/catalog-source.ts'
import { confirm } from '../confirm.ts'
import { paint } from '../paint.ts'
import { progressLine } from '../progress.ts'
import { searchInPool } from '../plan/search-pool.ts'
import { searchSuggestions } from '../plan/suggestions.ts'
import { readTraining } from '../plan/train-source.ts'
import { type Context, context } from '../context/context.ts'
import { findRun } from './find-run.ts'
import { runProgram } from './run-program.ts'
import { startRun } from './start-run.ts'
import { withOrigin } from './with-origin.ts'

export type ApplyFlags = {
  readonly yes?: true
  readonly detach?: true
  /** Only show what would be done. */
  readonly dryRun?: true
  readonly with?: string
  readonly from?: string
  /** Of a data spec: what "ironlaw data plan --json" printed. */
  readonly plan?: string
  readonly acceptInexact?: true
  readonly json?: true
}

export async function applyTrain(file: string, flags: ApplyFlags): Promise<void> {
  const to = context()
  const { plan, warnings, answer, ...prepared } = await prepareRun(file, flags)
  const { body, line } = await withOrigin(prepared.body, file)
  const from = flags.from === undefined ? undefined : await resolveSource(to, flags.from)
  if (!flags.json) process.stdout.write(`${offerText(plan, warnings)}\n${line}\n`)
  // Shown before the confirmation; with -y there is none.
  if (!flags.json && !flags.yes)
    for (const { text } of await searchSuggestions(catalogFor(flags.with), answer))
      process.stdout.write(`${paint('green', `  better: ${text}`)}\n`)
  if (flags.dryRun) return void (flags.json && process.stdout.write(`${JSON.stringify({ creates: body })}\n`))
  if (!flags.yes && !(await confirm({ question: 'run it?', command: 'apply' }))) return
  await startRun(to, { ...body, ...(from && { from }) }, flags)
}

/** The request to the control plane. */
export async function prepareRun(
  file: string,
  flags: Pick<ApplyFlags, 'with' | 'acceptInexact'>,
): Promise<AcceptedPlan & { readonly body: CreateRun; readonly answer: TrainingAnswer }> {
  const catalog = catalogFor(flags.with)
  const request = readTraining(catalog, file, {})
  const line = progressLine('strategies tried')
  const setup = { machine: request.machine, job: request.wanted.job }
  const answer = await searchInPool(setup, answerSteps(catalog, request, 1), { progress: line.tick }).finally(line.clear)
  const { plan, warnings } = acceptablePlan(answer, file)
  const directory = resolve(dirname(file))
  const body = runBody(catalog, { plan, spec: request.spec, directory, acceptsInexact: flags.acceptInexact === true })
  return { plan, warnings, body, answer }
}

type AcceptedPlan = { readonly plan: TrainingPlan; readonly warnings: readonly string[] }

/** The plan that `ironlaw plan` shows; a plan that violates a limit of its spec is not run. */
function acceptablePlan({ best, warnings, violated, nothing }: TrainingAnswer, file: string): AcceptedPlan {
  const problems = nothing ? [nothing.why, nothing.change] : violated
  if (best && problems.length === 0) return { plan: best.plan, warnings }
  const change = nothing ? '' : '; change the limit or the request in the spec'
  throw new IronlawError('IL_USAGE', { problem: `${file}: ${problems.join('; ')}${change}`, command: 'apply' })
}

/** RUN or RUN@STEP. */
async function resolveSource(to: Context, text: string): Promise<NonNullable<CreateRun['from']>> {
  const [, name = '', step] = /^([^@]+)(?:@(\d+))?$/.exec(text) ?? []
  if (name === '') throw new IronlawError('IL_USAGE', { problem: `--from ${text}: expected RUN or RUN@STEP`, command: 'apply' })
  const { id } = await findRun(to, name)
  return { run: id, ...(step !== undefined && { step: Number(step) }) }
}

/** What the user is about to confirm. */
function offerText({ id, name, fleet, prediction }: TrainingPlan, warnings: readonly string[]): string {
  const { step_s, step_low_s, step_high_s, duration_s, cost_usd } = prediction
  const price = cost_usd === undefined ? 'no price known' : show(dollars(cost_usd), 'USD')
  return [
    `${paint('bold', name)} on ${fleet.devices} x ${fleet.accelerator} (${id})`,
    `  a step    ${show(seconds(step_s), 's')}  (90 %: ${show(seconds(step_low_s), 's')} to ${show(seconds(step_high_s), 's')})`,
    `  whole run ${show(seconds(duration_s), 's')}, ${price}`,
    ...warnings.map((warning) => paint('yellow', `  ${warning}`)),
  ].join('\n')
}

type RunInputs = {
  readonly plan: TrainingPlan
  readonly spec: TrainSpec
  readonly directory: string
  readonly acceptsInexact: boolean
}

function runBody(catalog: Catalog, { plan, spec, directory, acceptsInexact }: RunInputs): CreateRun {
  if (!spec.run)
    throw new IronlawError('IL_USAGE', { problem: 'the spec has no "run" block that says which program to start', command: 'apply' })
  const interval_s = spec.run.checkpointEvery === undefined ? undefined : quantityOf(spec.run.checkpointEvery, 's')
  const failures = reliabilityForecast(catalog, plan, {
    ...statedFailures(spec),
    spares: spec.run.spares ?? 0,
    ...(interval_s !== undefined && { interval_s }),
  })
  return {
    name: spec.name,
    project: spec.run.project,
    ...(spec.run.team !== undefined && { team: spec.run.team }),
    plan: { ...plan },
    program: runProgram(plan, { run: spec.run, directory, acceptsInexact }),
    shape: {
      ...nodesOf(plan.fleet),
      ...resourcesOf(catalog, plan, spec.run.resources),
      smaller: spec.run.smaller,
      ...(spec.run.spares !== undefined && { spares: spec.run.spares }),
      ...(spec.run.check !== undefined && { check: spec.run.check }),
      ...(spec.run.timeLimit !== undefined && { timeLimit_s: quantityOf(spec.run.timeLimit, 's') }),
      ...(interval_s !== undefined && { checkpointEvery_s: interval_s }),
      ...(spec.run.checkpoints !== undefined && { checkpoints: spec.run.checkpoints }),
    },
    ...(spec.run.uses && { uses: spec.run.uses }),
    expected_losses_s: { ...expectedLosses(failures), 'data stall': expectedStall(catalog, plan) },
  }
}
