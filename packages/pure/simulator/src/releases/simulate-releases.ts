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
  const drawn = Array.from({ length: releases }, (_, index) =>
    drawRelease(new RandomStream([seed, index]), { truth: index % 2 === 0 ? 'equal' : 'worse', risk }),
  )
  const items = drawn.map(({ scores }) => scores.length).toSorted((a, b) => a - b)
  return { releases, medianItems: items[Math.floor(releases / 2)] ?? 0, gates: gateErrors(drawn, risk) }
}

export type JudgedRelease = Pick<DrawnRelease, 'truth' | 'margin' | 'scores'>

/** What each gate says of the same releases, whose truth is known. */
export function gateErrors(releases: readonly JudgedRelease[], risk: ReleaseRisk): readonly GateErrors[] {
  const tallies = new Map([OWN_GATE, ...RIVAL_GATES.map(({ name }) => name)].map((gate) => [gate, { blocked: 0, missed: 0, undecided: 0 }]))
  for (const release of releases) {
    const { scores, margin } = release
    count(tallies.get(OWN_GATE) as Tally, release, judgeDifference(pairedDifference(scores), { margin, risk }).verdict)
    for (const { name, passes } of RIVAL_GATES) count(tallies.get(name) as Tally, release, passes(scores) ? 'as-good' : 'worse')
  }
  const equal = releases.filter(({ truth }) => truth === 'equal').length
  return [...tallies].map(([gate, { blocked, missed, undecided }]) => ({
    gate,
    falseBlock: blocked / equal,
    miss: missed / (releases.length - equal),
    undecided: undecided / releases.length,
  }))
}

function count(tally: Tally, { truth }: JudgedRelease, verdict: EvaluationVerdict): void {
  if (verdict === 'undecided') tally.undecided += 1
  else if (truth === 'equal' && verdict === 'worse') tally.blocked += 1
  else if (truth === 'worse' && verdict === 'as-good') tally.missed += 1
}
