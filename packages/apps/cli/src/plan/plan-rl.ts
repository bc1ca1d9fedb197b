// `ironlaw plan` for a spec of kind RL: engines and trainer as one plan, which side waits, and where a step goes.

import { dirname } from 'node:path'
import type { RlPlan } from '@ironlaw/contracts'
import { parseRlSpec, type RlSpec } from '@ironlaw/contracts/rl-spec'
import { planRl, type PlannedRl, strategyText } from '@ironlaw/planner'
import { counted, dollars, seconds, show, showPercent } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { catalogFor } from '../catalog/catalog-source.ts'
import { readDocument } from '../input-file.ts'
import { modelFrom } from '../model/model-source.ts'
import { paint } from '../paint.ts'
import { table } from '../table.ts'
import { wholeNumber } from '../whole-number.ts'
import { capacityTable, fullestText } from './capacity-text.ts'

type PlanRlFlags = { readonly top: string; readonly explain?: true; readonly with?: string }

/** What no figure of the plan holds; the range is that of NeMo RL's published steps (docs/guides/post-training.md). */
const LEFT_OUT =
  'left out: rewards, data handling and the framework’s own time; published steps of NeMo RL take 1.3 to 2.6 times as long as predicted'

export function planRlAnswer(file: string, flags: PlanRlFlags): CommandAnswer {
  const spec = parseRlSpec(readDocument(file), file)
  const model = modelFrom(spec.model, dirname(file))
  const planned = planRl(catalogFor(flags.with), { spec, model })
  const plans = planned.plans.slice(0, wholeNumber('--top', flags.top))
  const nothing = plans.length === 0
  return {
    json: { plans, rejected: planned.rejected, warnings: [...planned.warnings, LEFT_OUT] },
    text: () => text(spec, { ...planned, plans }, { model: model.name, explained: flags.explain === true }),
    ...(nothing && {
      exit: 3,
      violation: { problem: planned.rejected[0] ?? 'nothing fits', next: 'use more or larger accelerators, or precision: lora' },
    }),
  }
}

function text(
  spec: RlSpec,
  { plans, rejected, warnings }: PlannedRl,
  { model, explained }: { readonly model: string; readonly explained: boolean },
): string {
  const [best] = plans
  return [
    `${paint('bold', model)} by ${spec.algorithm.toUpperCase()} on ${spec.fleet.count} x ${spec.fleet.accelerator}: ${counted(spec.steps, 'step')} of ${counted(spec.prompts, 'prompt')} x ${counted(spec.samples, 'answer')}`,
    ...warnings,
    LEFT_OUT,
    '',
    table(
      ['placement', 'generate', 'learn', 'engines', 'trainer', 'step', '90 % interval', 'generating', 'learning', 'waits'],
      plans.map(row),
      [1, 2, 5, 6, 7, 8],
    ),
    ...(best ? ['', ...details(best, explained)] : rejected),
  ].join('\n')
}

const row = (plan: RlPlan): readonly string[] => {
  const { placement, generation, trainer, step_s, step_low_s, step_high_s, generate_s, score_s, update_s } = plan
  return [
    placement,
    String(generation.devices),
    String(trainer.fleet.devices),
    `${generation.replicas} x ${engineText(plan)}`,
    strategyText(trainer.decision),
    show(seconds(step_s), 's'),
    `${show(seconds(step_low_s), 's')} to ${show(seconds(step_high_s), 's')}`,
    show(seconds(generate_s), 's'),
    show(seconds(score_s + update_s), 's'),
    waitText(plan),
  ]
}

const engineText = ({ generation: { tensor, data, expert } }: RlPlan): string =>
  [`tp${tensor}`, ...(data > 1 ? [`dp${data}`] : []), ...(expert > 1 ? [`ep${expert}`] : [])].join(' ')

/** Shares of a step in which each side has nothing to do. */
function waitText({ placement, step_s, generate_s, score_s, update_s }: RlPlan): string {
  if (placement === 'colocated') return 'both take turns'
  return `engines ${showPercent(1 - generate_s / step_s, 0)}, trainer ${showPercent(1 - (score_s + update_s) / step_s, 0)}`
}

function details(plan: RlPlan, explained: boolean): readonly string[] {
  const { bottleneck, staleness, generation, duration_s, cost_usd, trainer } = plan
  const parts = [
    ['generate', plan.generate_s],
    ['score', plan.score_s],
    ['update', plan.update_s],
    ['sync weights', plan.sync_s],
    ['move states', plan.handover_s],
  ] as const
  return [
    `${show(seconds(duration_s), 's')} in all${cost_usd === undefined ? '' : `, ${show(dollars(cost_usd), 'USD')}`}; ${plan.tokens_per_s_per_device.toFixed(0)} tokens/s per device`,
    `bottleneck: ${bottleneck === 'generation' ? 'generating' : 'learning'}; weights that generate are ${counted(staleness, 'step')} old`,
    `an engine decodes ${Math.floor(generation.atOnce)} of its ${Math.ceil(generation.answersPerReplica)} answers at once; ${show(seconds(generation.tail_s), 's')} pass after half of them are done`,
    `engines: ${fullestText(generation.capacities)}`,
    `trainer: ${fullestText(trainer.prediction.capacities ?? [])}`,
    '',
    'where the step goes',
    table(
      [],
      parts.filter(([, time]) => time > 0).map(([name, time]) => [name, show(seconds(time), 's')]),
      [1],
    ),
    ...(explained
      ? ['', capacityTable('engines', generation.capacities), '', capacityTable('trainer', trainer.prediction.capacities ?? [])]
      : []),
  ]
}
