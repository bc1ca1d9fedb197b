// Shows the progress of a run on one line until it ends; state changes stay above it.

import { isTerminal } from '@ironlaw/contracts'
import type { RunView } from '@ironlaw/contracts/api'
import type { Interruption } from '../interruption.ts'
import type { Context } from '../context/context.ts'
import { findRun } from './find-run.ts'
import { readUntil } from '../api/read-until.ts'
import { showDuration, stateText, timeLeft } from './run-text.ts'

/** Printed on Ctrl-C, which stops the watching but not the run. */
export const runInterruption = (run: string): Interruption => ({
  what: `stopped watching; the run continues`,
  next: `"ironlaw get ${run}" shows it, "ironlaw logs ${run} -f" follows it, "ironlaw cancel ${run}" stops it`,
})

export const deploymentInterruption = (deployment: string): Interruption => ({
  what: 'stopped watching; the deployment continues',
  next: `"ironlaw describe ${deployment}" shows it, "ironlaw logs ${deployment} -f" follows it, "ironlaw remove ${deployment}" ends it`,
})

export async function followRun(to: Context, first: RunView): Promise<RunView> {
  let said = ''
  const show = (run: RunView): void => {
    const standing = `${run.state} ${run.attempt} ${run.why}`
    if (process.stdout.isTTY) process.stdout.write(`\r\u001B[K${progress(run)}`)
    else if (standing !== said) process.stdout.write(`${progress(run)}\n`)
    said = standing
  }
  const run = await readUntil({ read: () => findRun(to, first.id), show, isOver: ({ state }) => isTerminal(state) })
  if (process.stdout.isTTY) process.stdout.write('\r\u001B[K')
  else show(run)
  return run
}

function progress(run: RunView): string {
  const left = timeLeft(run)
  return [
    stateText(run.state),
    ...(run.step === undefined ? [] : [`step ${run.step}${run.steps === undefined ? '' : `/${run.steps}`}`]),
    ...(run.loss === undefined || run.loss === null ? [] : [`loss ${run.loss.toFixed(3)}`]),
    ...(run.step_s === undefined
      ? []
      : [
          `${showDuration(run.step_s)} a step${run.predicted_step_s === undefined ? '' : ` (predicted ${showDuration(run.predicted_step_s)})`}`,
        ]),
    ...(left === undefined ? [] : [`${showDuration(left)} left`]),
    ...(run.attempt > 1 ? [`attempt ${run.attempt}`] : []),
    ...(run.why ? [run.why] : []),
  ].join('  ')
}
