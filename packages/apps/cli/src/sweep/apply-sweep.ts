// `ironlaw apply` for a sweep: starts its trials, stops those that are behind, and shows which is best. It may be ended at any time: the trials
// that run go on, and the same command continues.

import { isTerminal, IronlawError } from '@ironlaw/contracts'
import { decideSweep, rungsOf, type TrialJudgement } from '@ironlaw/policies/sweep'
import { counted } from '@ironlaw/units'
import { setTimeout as pause } from 'node:timers/promises'
import { printAnswer } from '../answer.ts'
import { api } from '../api/api-client.ts'
import { readWhenReachable } from '../api/read-until.ts'
import { confirm } from '../confirm.ts'
import { type Context, context } from '../context/context.ts'
import { runInterruptible } from '../interruption.ts'
import type { ApplyFlags } from '../run/apply-train.ts'
import { forecastOf, sweepText } from './plan-sweep.ts'
import { readSweep, type Sweep, type TrialRequest } from './sweep-source.ts'
import { sweepAnswer, stopText } from './sweep-answer.ts'
import { createTrial, findTrial, firstProgress, readProgress, type TrialProgress, trialOf } from './trial-progress.ts'

const LOOK_MS = 500

export async function applySweep(file: string, flags: ApplyFlags): Promise<void> {
  for (const flag of ['from', 'plan', 'detach'] as const)
    if (flags[flag] !== undefined)
      throw new IronlawError('IL_USAGE', {
        problem: `--${flag} is not for a sweep, whose trials are started and stopped from here`,
        command: 'apply',
      })
  const to = context()
  const sweep = await readSweep(file, flags)
  const known = await knownTrials(to, sweep)
  if (!flags.json) process.stdout.write(`${sweepText(sweep, forecastOf(sweep))}\n${sweep.codeLine}\n${knownText(known)}`)
  if (flags.dryRun)
    return void (flags.json && process.stdout.write(`${JSON.stringify({ creates: sweep.trials.map(({ body }) => body) })}\n`))
  const isNew = known.length < sweep.trials.length
  if (isNew && !flags.yes && !(await confirm({ question: 'run it?', command: 'apply' }))) return
  const interruption = {
    what: 'no more trials are started or stopped; those that run go on',
    next: `"ironlaw apply ${file}" continues, "ironlaw get" shows the runs`,
  }
  const say = (line: string): void => void (flags.json || process.stdout.write(`${line}\n`))
  const ended = await runInterruptible(interruption, () => driveSweep(to, sweep, { known, say }))
  printAnswer(sweepAnswer(sweep, ended), flags.json === true)
}

async function knownTrials(to: Context, { trials }: Sweep): Promise<readonly TrialProgress[]> {
  const found: TrialProgress[] = []
  for (const request of trials) {
    const run = await findTrial(to, request)
    if (run) found.push(firstProgress(request, run))
  }
  return found
}

const knownText = (known: readonly TrialProgress[]): string =>
  known.length === 0 ? '' : `  ${counted(known.length, 'trial')} started before; give the sweep another name to run them anew\n`

type Drive = { readonly known: readonly TrialProgress[]; readonly say: (line: string) => void }

/** Until every trial has ended. */
async function driveSweep(to: Context, sweep: Sweep, { known, say }: Drive): Promise<readonly TrialProgress[]> {
  const { spec, trials, steps } = sweep
  let started = known
  const stopped = new Set<number>()
  for (let isFirst = true; ; isFirst = false) {
    started = await Promise.all(started.map(async (each) => (isFirst || !isTerminal(each.run.state) ? await readAgain(to, each) : each)))
    refuseUseless(sweep, started)
    const rungs = spec.stopping ? rungsOf(spec.stopping, steps ?? 1 + Math.max(0, ...started.map(({ step }) => step))) : []
    const view = started.map((each) => trialOf(each, rungs))
    const { stop, start } = decideSweep({ trials: view, count: trials.length, atOnce: spec.atOnce, stopping: spec.stopping })
    for (const judged of stop.filter(({ trial }) => !stopped.has(trial))) {
      await stopTrial(to, started, judged)
      stopped.add(judged.trial)
      say(stopText(sweep, judged, rungs))
    }
    if (start.length === 0 && started.every(({ run }) => isTerminal(run.state))) return started
    const added = await Promise.all(start.map((trial) => startTrial(to, trials[trial] as TrialRequest)))
    started = [...started, ...added].toSorted((a, b) => a.request.trial - b.request.trial)
    if (start.length === 0) await pause(LOOK_MS)
  }
}

const readAgain = (to: Context, each: TrialProgress): Promise<TrialProgress> => readWhenReachable(() => readProgress(to, each))

const startTrial = async (to: Context, request: TrialRequest): Promise<TrialProgress> =>
  firstProgress(request, await readWhenReachable(() => createTrial(to, request)))

async function stopTrial(to: Context, started: readonly TrialProgress[], { trial }: TrialJudgement): Promise<void> {
  const found = started.find(({ request }) => request.trial === trial)
  if (!found) return
  try {
    await readWhenReachable(() => api(to).cancelRun({ id: found.run.id }))
  } catch (cause) {
    // It may have come to its end since it was looked at.
    const { run } = await readAgain(to, found)
    if (!isTerminal(run.state)) throw cause
  }
}

/** A program that cannot start would fail with every value. */
const FAILED_AT_FIRST = 3

/** Trials that cannot be compared, or that fail like the first, are not worth their time. */
function refuseUseless({ spec, trials }: Sweep, started: readonly TrialProgress[]): void {
  const silent = spec.stopping && started.find((each) => each.step >= (spec.stopping?.first ?? 0) && each.steps.length === 0)
  if (silent)
    throw new IronlawError(
      'IL_VIOLATED',
      { problem: `trial ${silent.request.trial + 1} reports no loss, by which trials are compared` },
      {
        next: `report it with run.step(..., loss=...), or name a group "loss" in steps.pattern; "ironlaw cancel ${silent.run.id}" stops the run`,
      },
    )
  const failed = started.filter(({ run }) => run.state === 'failed')
  const [first] = failed
  if (
    first &&
    failed.length >= Math.min(FAILED_AT_FIRST, trials.length) &&
    started.every(({ run, step }) => step === 0 && run.state !== 'succeeded')
  )
    throw new IronlawError(
      'IL_VIOLATED',
      { problem: `${counted(failed.length, 'trial')} failed, and none has come to its first step` },
      { next: `read why: ironlaw logs ${first.run.id}` },
    )
}
