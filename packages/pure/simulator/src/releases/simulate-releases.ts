// How often gates err: releases are drawn whose truth is known, and each gate judges all of them.

import { type EvaluationVerdict, judgeDifference, pairedDifference, stageItems, stageJudge } from '@ironlaw/policies/evaluation'
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
  /** Share of the items that it asked for, the mean over releases. */
  readonly asked: number
}

export type ReleaseTrials = {
  readonly releases: number
  readonly medianItems: number
  readonly gates: readonly GateErrors[]
}

type Tally = { blocked: number; missed: number; undecided: number; asked: number }

export const OWN_GATE = 'not worse by the margin, paired'
export const SEQUENTIAL_GATE = 'the same, sequential'

/** Half of the releases are equal to what they replace, half are worse by the margin of their gate. */
export function simulateReleases({ releases, seed, risk }: { releases: number; seed: number; risk: ReleaseRisk }): ReleaseTrials {
  const drawn = Array.from({ length: releases }, (_, index) =>
    drawRelease(new RandomStream([seed, index]), { truth: index % 2 === 0 ? 'equal' : 'worse', risk }),
  )
  const items = drawn.map(({ scores }) => scores.length).toSorted((a, b) => a - b)
  return { releases, medianItems: items[Math.floor(releases / 2)] ?? 0, gates: gateErrors(drawn, risk) }
}

export type JudgedRelease = Pick<DrawnRelease, 'truth' | 'margin' | 'scores'>

type GateAnswer = { readonly verdict: EvaluationVerdict; readonly asked: number }
type Gate = { readonly name: string; readonly judge: (release: JudgedRelease, risk: ReleaseRisk) => GateAnswer }

const GATES: readonly Gate[] = [
  {
    name: OWN_GATE,
    judge: ({ scores, margin }, risk) => ({ verdict: judgeDifference(pairedDifference(scores), { margin, risk }).verdict, asked: 1 }),
  },
  { name: SEQUENTIAL_GATE, judge: judgeInStages },
  ...RIVAL_GATES.map(({ name, passes }): Gate => ({
    name,
    judge: ({ scores }) => ({ verdict: passes(scores) ? 'as-good' : 'worse', asked: 1 }),
  })),
]

/** What each gate says of the same releases, whose truth is known. */
export function gateErrors(releases: readonly JudgedRelease[], risk: ReleaseRisk): readonly GateErrors[] {
  const equal = releases.filter(({ truth }) => truth === 'equal').length
  return GATES.map(({ name, judge }) => {
    const tally: Tally = { blocked: 0, missed: 0, undecided: 0, asked: 0 }
    for (const release of releases) count(tally, release, judge(release, risk))
    return {
      gate: name,
      falseBlock: tally.blocked / equal,
      miss: tally.missed / (releases.length - equal),
      undecided: tally.undecided / releases.length,
      asked: tally.asked / releases.length,
    }
  })
}

/** As items are drawn, their order has nothing to do with what they are. */
function judgeInStages({ scores, margin }: JudgedRelease, risk: ReleaseRisk): GateAnswer {
  for (const [index, items] of stageItems(scores.length).entries()) {
    const { verdict } = stageJudge({ margin, risk }, index + 1)(pairedDifference(scores.slice(0, items)))
    if (verdict !== 'undecided') return { verdict, asked: items / scores.length }
  }
  return { verdict: 'undecided', asked: 1 }
}

function count(tally: Tally, { truth }: JudgedRelease, { verdict, asked }: GateAnswer): void {
  tally.asked += asked
  if (verdict === 'undecided') tally.undecided += 1
  else if (truth === 'equal' && verdict === 'worse') tally.blocked += 1
  else if (truth === 'worse' && verdict === 'as-good') tally.missed += 1
}
