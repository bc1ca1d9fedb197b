// How often gates err: releases are drawn whose truth is known, and each gate judges all of them.

import { type EvaluationVerdict, judgeDifference, pairedDifference } from '@ironlaw/policies/evaluation'
import { RandomStream } from '../kernel/random-stream.ts'
import { drawRelease, type DrawnRelease, type ReleaseRisk } from './draw-release.ts'
import { RIVAL_GATES } from './rival-gates.ts'

export type GateErrors = {
  readonly gate: string
  /** Of equal candidates: refused. */
  readonly falseBlock: number
  /** Of candidates that are worse by the margin: let through. */
  readonly miss: number
  /** Of all: neither passed nor refused, so that more items are asked for. */
  readonly undecided: number
}

export type ReleaseTrials = {
  readonly releases: number
  readonly medianItems: number
  readonly gates: readonly GateErrors[]
}

type Tally = { blocked: number; missed: number; undecided: number }

export const OWN_GATE = 'not worse by the margin, paired'

/** Half of the releases are equal to what they replace, half are worse by the margin of their gate. */
export function simulateReleases({ releases, seed, risk }: { releases: number; seed: number; risk: ReleaseRisk }): ReleaseTrials {
  const tallies = new Map([OWN_GATE, ...RIVAL_GATES.map(({ name }) => name)].map((gate) => [gate, { blocked: 0, missed: 0, undecided: 0 }]))
  const items: number[] = []
  for (let index = 0; index < releases; index += 1) {
    const release = drawRelease(new RandomStream([seed, index]), { truth: index % 2 === 0 ? 'equal' : 'worse', risk })
    items.push(release.scores.length)
    count(
      tallies.get(OWN_GATE) as Tally,
      release,
      judgeDifference(pairedDifference(release.scores), { margin: release.margin, risk }).verdict,
    )
    for (const { name, passes } of RIVAL_GATES) count(tallies.get(name) as Tally, release, passes(release.scores) ? 'as-good' : 'worse')
  }
  const each = releases / 2
  return {
    releases,
    medianItems: items.toSorted((a, b) => a - b)[Math.floor(releases / 2)] ?? 0,
    gates: [...tallies].map(([gate, { blocked, missed, undecided }]) => ({
      gate,
      falseBlock: blocked / each,
      miss: missed / each,
      undecided: undecided / releases,
    })),
  }
}

function count(tally: Tally, { truth }: DrawnRelease, verdict: EvaluationVerdict): void {
  if (verdict === 'undecided') tally.undecided += 1
  else if (truth === 'equal' && verdict === 'worse') tally.blocked += 1
  else if (truth === 'worse' && verdict === 'as-good') tally.missed += 1
}
