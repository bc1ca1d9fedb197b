// What a sweep found: its trials from the best to the worst.

import { judgeTrial, rungsOf, type TrialJudgement } from '@ironlaw/policies/sweep'
import type { CommandAnswer } from '../answer.ts'
import { paint } from '../paint.ts'
import { table } from '../table.ts'
import type { Sweep } from './sweep-source.ts'
import { reachedLoss, type TrialProgress, trialOf } from './trial-progress.ts'

type Ranked = {
  readonly progress: TrialProgress
  readonly loss: number | undefined
  readonly judged: TrialJudgement | undefined
}

export const stopText = ({ trials }: Sweep, { trial, rung, place, of }: TrialJudgement, rungs: readonly number[]): string =>
  `trial ${trial + 1} (${argumentsText(trials[trial]?.arguments ?? {})}) is stopped: ${place} of ${of} by loss after ${rungs[rung]} steps`

const argumentsText = (own: Readonly<Record<string, unknown>>): string =>
  Object.entries(own)
    .map(([name, value]) => (name.endsWith('=') ? `${name}${String(value)}` : `${name} ${String(value)}`))
    .join(' ')

export function sweepAnswer(sweep: Sweep, ended: readonly TrialProgress[]): CommandAnswer {
  const ranked = rank(sweep, ended)
  const best = ranked.find(({ progress, loss }) => progress.run.state === 'succeeded' && loss !== undefined)
  const taken = ended.reduce((sum, { step }) => sum + step, 0)
  const whole = sweep.steps === undefined ? undefined : sweep.steps * sweep.trials.length
  return {
    json: {
      name: sweep.spec.name,
      ...(best && { best: best.progress.request.trial + 1 }),
      steps: { taken, ...(whole !== undefined && { whole }) },
      trials: ranked.map(jsonOf),
    },
    text: () =>
      [
        trialsText(sweep, ranked),
        '',
        `${taken.toLocaleString('en')} steps${whole === undefined ? '' : `, ${((100 * taken) / whole).toFixed(0)} % of those of all trials run to their end`}`,
        ...(best ? [`best: ${paint('bold', best.progress.run.id)}  ${argumentsText(best.progress.request.arguments)}`] : []),
      ].join('\n'),
    ...(!best && {
      exit: 3,
      violation: { problem: 'no trial ran to its end with a loss', next: 'read why: ironlaw describe RUN, ironlaw logs RUN' },
    }),
  }
}

/** Those that came further first, then by loss. */
function rank({ spec, steps }: Sweep, ended: readonly TrialProgress[]): readonly Ranked[] {
  const rungs = spec.stopping ? rungsOf(spec.stopping, steps ?? 1 + Math.max(0, ...ended.map(({ step }) => step))) : []
  const view = ended.map((each) => trialOf(each, rungs))
  const ranked = ended.map((progress, index) => {
    const own = view[index]
    const judged = own && spec.stopping && progress.run.state === 'cancelled' ? judgeTrial(own, view, spec.stopping.factor) : undefined
    return { progress, loss: reachedLoss(progress), judged }
  })
  return ranked.toSorted((a, b) => standing(a) - standing(b) || (a.loss ?? Infinity) - (b.loss ?? Infinity) || 0)
}

const standing = ({ progress, judged, loss }: Ranked): number =>
  progress.run.state === 'succeeded' && loss !== undefined ? 0 : judged ? 1000 - judged.rung : 2000

const jsonOf = ({ progress, loss, judged }: Ranked) => ({
  trial: progress.request.trial + 1,
  arguments: progress.request.arguments,
  run: progress.run.id,
  state: progress.run.state,
  step: progress.step,
  ...(loss !== undefined && Number.isFinite(loss) && { loss }),
  ...(judged && { place: judged.place, of: judged.of }),
})

function trialsText({ trials }: Sweep, ranked: readonly Ranked[]): string {
  const names = Object.keys(trials[0]?.arguments ?? {})
  const rows = ranked.map(({ progress, loss, judged }) => [
    String(progress.request.trial + 1),
    ...names.map((name) => String(progress.request.arguments[name])),
    String(progress.step),
    loss === undefined ? '' : Number.isFinite(loss) ? loss.toPrecision(4) : 'diverged',
    judged ? `stopped, ${judged.place} of ${judged.of}` : progress.run.state,
    progress.run.id,
  ])
  return table(['TRIAL', ...names, 'STEPS', 'LOSS', 'STATE', 'RUN'], rows, [
    0,
    ...names.map((_, index) => index + 1),
    names.length + 1,
    names.length + 2,
  ])
}
