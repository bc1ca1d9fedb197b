// Whether a version may be released: every gate passed or was waived.

import { type GateState, type ReleaseAnswer, releaseAnswer } from '@ironlaw/contracts/release-record'
import type { ReleaseWaiver } from '@ironlaw/contracts/release-spec'
import type { GateFinding } from './gate-findings.ts'

export type NamedFinding = GateFinding & { readonly gate: string }

export type JudgedGate = NamedFinding & {
  readonly state: GateState
  /** The one that holds, or one that ended. */
  readonly waiver?: ReleaseWaiver
}

export type ReleaseJudgement = { readonly answer: ReleaseAnswer; readonly gates: readonly JudgedGate[] }

const STATES = { 'as-good': 'passed', worse: 'refused', undecided: 'undecided' } as const

/** @param today such as 2026-11-18; a waiver holds on its last day */
export function judgeRelease(findings: readonly NamedFinding[], waivers: readonly ReleaseWaiver[], today: string): ReleaseJudgement {
  const gates = findings.map((finding): JudgedGate => {
    const state = STATES[finding.verdict]
    const waiver = waivers.filter(({ gate }) => gate === finding.gate).toSorted((a, b) => (a.until < b.until ? 1 : -1))[0]
    if (state === 'passed' || !waiver) return { ...finding, state }
    return { ...finding, state: today <= waiver.until ? 'waived' : state, waiver }
  })
  return { answer: releaseAnswer(gates.map(({ state }) => state)), gates }
}
