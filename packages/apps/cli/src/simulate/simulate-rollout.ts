// `ironlaw simulate rollout`: how often the canary analysis is wrong, compared with the risks it states.

import { DEFAULT_ROLLOUT } from '@ironlaw/policies/rollout'
import { NO_REGRESSION, type Regression, rolloutTrials, type RolloutTrialSummary, USUAL_TRAFFIC } from '@ironlaw/simulator'
import { showShortPercent } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { table } from '../table.ts'
import { wholeNumber } from '../whole-number.ts'

export type SimulateRolloutFlags = { readonly replicas: string; readonly seed: string }

const RULE = { ...DEFAULT_ROLLOUT, margins: { ...DEFAULT_ROLLOUT.margins, quality: 0.1 } }

/** The smallest changes that matter by the rule, and changes that any user would notice. */
const CASES: readonly (readonly [string, Partial<Regression>])[] = [
  ['no worse', {}],
  ['first token 20 % later', { ttft: 1 + RULE.margins.ttft }],
  ['tokens 10 % slower', { tpot: 1 + RULE.margins.tpot }],
  ['2 % more errors', { errors: RULE.margins.errors }],
  ['10 % wrong answers', { quality: RULE.margins.quality }],
  ['three times as slow', { ttft: 3, tpot: 3 }],
  ['every second answer fails', { errors: 0.5 }],
]

type Row = RolloutTrialSummary & { readonly case: string; readonly wrong: number; readonly stated: number }

export function simulateRolloutAnswer(flags: SimulateRolloutFlags): CommandAnswer {
  const trials = wholeNumber('--replicas', flags.replicas)
  const seed = wholeNumber('--seed', flags.seed)
  const rows = CASES.map(([name, change], index): Row => {
    const found = rolloutTrials(RULE, { regression: { ...NO_REGRESSION, ...change }, traffic: USUAL_TRAFFIC, seed: seed + index, trials })
    const good = index === 0
    return {
      case: name,
      ...found,
      wrong: (good ? found.rolledBack : found.promoted) / trials,
      stated: good ? RULE.risk.falseRollback : RULE.risk.falsePromotion,
    }
  })
  return { json: { trials, rule: RULE, traffic: USUAL_TRAFFIC, rows }, text: () => text(rows, trials) }
}

function text(rows: readonly Row[], trials: number): string {
  const shares = RULE.shares.map((share) => `${100 * share} %`).join(', then ')
  return [
    `${trials.toLocaleString('en')} rollouts each, of revisions of which we know whether they are worse: ${shares} of ${USUAL_TRAFFIC.requests_per_s} requests/s`,
    '',
    table(
      ['the new revision is', 'promoted', 'rolled back', 'wrong', 'stated', 'decided after', 'p95'],
      rows.map((row) => [
        row.case,
        `${row.promoted}`,
        `${row.rolledBack}`,
        showShortPercent(row.wrong),
        `< ${showShortPercent(row.stated)}`,
        `${row.median_s} s`,
        `${row.p95_s} s`,
      ]),
      [1, 2, 3, 4, 5, 6],
    ),
    '',
    `Latencies scatter by ${showShortPercent(USUAL_TRAFFIC.scatter)}, follow a load that both revisions share (${showShortPercent(USUAL_TRAFFIC.load)}), and each drifts by itself (${showShortPercent(USUAL_TRAFFIC.drift)}).`,
  ].join('\n')
}
