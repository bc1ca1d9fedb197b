import type { RunView } from '@ironlaw/contracts/api'
import { type LossSpike, lossSpikes, spikeText } from '@ironlaw/policies/run'
import type { CommandAnswer } from '../answer.ts'
import { describeDeployment } from '../deployment/describe-deployment.ts'
import { paint } from '../paint.ts'
import { api } from '../api/api-client.ts'
import { context } from '../context/context.ts'
import { findSubject } from './find-subject.ts'
import { fetchSteps } from '../run/fetch-steps.ts'
import { originLines } from '../run/origin-text.ts'
import { attemptsTable, showClock, showDuration, eventLine, outcomeText, stateText, timeLeft } from '../run/run-text.ts'

const EVENTS_SHOWN = 15
const SPIKES_SHOWN = 5

export async function describeAnswer(name: string): Promise<CommandAnswer> {
  const to = context()
  const subject = await findSubject(to, name)
  if (subject.kind === 'deployment') return describeDeployment(to, subject.deployment)
  const { run } = subject
  const { id } = run
  const [attempts, checkpoints, events, spikes, origin] = await Promise.all([
    api(to).listAttempts({ id }),
    api(to).listCheckpoints({ id }),
    api(to).listRunEvents({ id, query: { newest: EVENTS_SHOWN } }),
    run.loss === undefined ? [] : fetchSteps(to, id).then(lossSpikes),
    api(to).getRunOrigin({ id }),
  ])
  return { json: { run, attempts: attempts.items, checkpoints: checkpoints.items, events: events.items, spikes, origin }, text }

  function text(): string {
    const left = timeLeft(run)
    const newest = checkpoints.items.findLast((each) => each.state === 'committed')
    return [
      `${paint('bold', run.id)}  ${stateText(run.state)} since ${showClock(run.state_since_at)}${run.why ? `: ${run.why}` : ''}`,
      ...(run.outcome ? [outcomeText(run)] : []),
      `${run.kind === 'Job' ? `command ${run.argv.join(' ')}` : `plan ${run.plan}`}, ${run.shape.nodes} nodes x ${run.shape.processesPerNode}, project ${run.project}, by ${run.created_by} at ${showClock(run.created_at)}`,
      ...originLines(origin),
      ...(run.step === undefined
        ? []
        : [
            `step ${run.step}${run.steps === undefined ? '' : ` of ${run.steps}`}${left === undefined || run.ended_at !== undefined ? '' : `, ${showDuration(left)} left`}`,
          ]),
      ...(run.step_s === undefined
        ? []
        : [
            `${showDuration(run.step_s)} a step${run.predicted_step_s === undefined ? '' : `, predicted ${showDuration(run.predicted_step_s)}`}`,
          ]),
      ...(newest ? [`newest checkpoint at step ${newest.step}, written in ${showDuration(newest.write_s)}`] : []),
      ...spikeLines(run, spikes),
      '',
      attemptsTable(attempts.items),
      '',
      ...events.items.map(eventLine),
    ].join('\n')
  }
}

/** The newest, each with the command that shows its batch. */
export function spikeLines({ id, uses = [] }: Pick<RunView, 'id' | 'uses'>, spikes: readonly LossSpike[]): readonly string[] {
  const older = spikes.length - SPIKES_SHOWN
  return [
    ...(older > 0 ? [paint('dim', `${older} older loss spikes; --json has all`)] : []),
    ...spikes
      .slice(-SPIKES_SHOWN)
      .flatMap((spike) => [
        paint('yellow', spikeText(spike)),
        ...(uses.length > 0 ? [`  ${paint('dim', 'its batch:')} ironlaw data show ${id} --step ${spike.step}`] : []),
      ]),
    ...(spikes.length > 0 && uses.length === 0
      ? [paint('dim', '  what these steps saw is not known: the spec names no data order and datasets under "uses"')]
      : []),
  ]
}
