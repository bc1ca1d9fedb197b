// `ironlaw validate gates`: how often a gate refuses an equal model and lets a worse one through, beside gates as people write them.

import { type GateErrors, OWN_GATE, type ReleaseTrials, SEQUENTIAL_GATE, simulateReleases } from '@ironlaw/simulator'
import { showPercent } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { table } from '../table.ts'
import { wholeNumber } from '../whole-number.ts'

export type ValidateGatesFlags = { readonly releases: string; readonly seed: string }

/** Of equal models refused, and of those worse by the margin let through. */
const RISK = { falseBlock: 0.05, miss: 0.05 }
/** Gates whose errors must be those that were stated. */
const OWN: ReadonlySet<string> = new Set([OWN_GATE, SEQUENTIAL_GATE])

export function validateGatesAnswer(flags: ValidateGatesFlags): CommandAnswer {
  const releases = wholeNumber('--releases', flags.releases)
  const seed = wholeNumber('--seed', flags.seed)
  const trials = simulateReleases({ releases, seed, risk: RISK })
  const excess = trials.gates.filter(({ gate }) => OWN.has(gate)).flatMap((own) => exceeded(own, releases) ?? [])[0]
  return {
    json: { seed, risk: { false_block: RISK.falseBlock, miss: RISK.miss }, ...jsonOf(trials) },
    text: () => gatesText(trials),
    ...(excess && { exit: 3, violation: excess }),
  }
}

/** Beyond what chance explains: three standard errors of a share over half of the releases. */
function exceeded(
  { gate, falseBlock, miss }: GateErrors,
  releases: number,
): { readonly problem: string; readonly next: string } | undefined {
  const worst = Math.max(falseBlock - RISK.falseBlock, miss - RISK.miss)
  if (worst <= 3 * Math.sqrt((RISK.miss * (1 - RISK.miss)) / (releases / 2))) return undefined
  return {
    problem: `the gate "${gate}" refused ${showPercent(falseBlock)} of equal models and passed ${showPercent(miss)} of worse ones; both should be ${showPercent(RISK.miss)} at most`,
    next: 'run it again with another --seed; if it stays so, report it',
  }
}

const jsonOf = ({ releases, medianItems, gates }: ReleaseTrials): object => ({
  releases,
  median_items: medianItems,
  gates: gates.map(({ gate, falseBlock, miss, undecided, asked }) => ({ gate, false_block: falseBlock, miss, undecided, asked })),
})

const gatesText = ({ releases, medianItems, gates }: ReleaseTrials): string =>
  [
    `${releases} drawn releases, half equal to what they replace and half worse by the margin of their gate (2, 3 or 5 points);`,
    `items as planned for 5 % of either error, ${medianItems} in the median`,
    '',
    table(
      ['gate', 'equal refused', 'worse passed', 'undecided', 'items asked'],
      gates.map(({ gate, falseBlock, miss, undecided, asked }) => [
        gate,
        ...[falseBlock, miss, undecided, asked].map((share) => showPercent(share)),
      ]),
      [1, 2, 3, 4],
    ),
  ].join('\n')
