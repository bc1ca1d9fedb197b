// `ironlaw release check`: the gates of a release as a checklist with evidence.

import { dirname, resolve } from 'node:path'
import { COMPLETE, gateName, parseReleaseSpec } from '@ironlaw/contracts/release-spec'
import { type JudgedGate, judgeRelease, type NamedFinding, type ReleaseJudgement } from '@ironlaw/policies/release'
import type { CommandAnswer } from '../answer.ts'
import { readDocument } from '../input-file.ts'
import { table } from '../table.ts'
import { completeFinding, findingOf, readVersion } from './gate-evidence.ts'

export async function releaseCheckAnswer(file: string): Promise<CommandAnswer> {
  const spec = parseReleaseSpec(readDocument(file), file)
  const evidence = readVersion(spec, dirname(resolve(file)))
  const findings: NamedFinding[] = [{ gate: COMPLETE, ...completeFinding(evidence) }]
  for (const gate of spec.gates) findings.push({ gate: gateName(gate), ...(await findingOf(gate, evidence)) })
  const judgement = judgeRelease(findings, spec.waivers, new Date().toISOString().slice(0, 10))
  const stopping = judgement.gates.filter(({ state }) => state === 'refused' || state === 'undecided')
  return {
    json: jsonOf({ name: spec.name, version: evidence.version.id }, judgement),
    text: () => checkText({ name: spec.name, version: evidence.version.id }, judgement),
    ...(judgement.answer !== 'release' && {
      exit: 3,
      violation: {
        problem: `${spec.name} is ${judgement.answer === 'refuse' ? 'refused' : 'undecided'}: ${stopping.map(({ gate }) => gate).join(', ')}`,
        next: stopping.map(({ gate, wouldChange }) => `${gate}: ${wouldChange}`).join('; '),
      },
    }),
  }
}

type Released = { readonly name: string; readonly version: string }

const jsonOf = ({ name, version }: Released, { answer, gates }: ReleaseJudgement): object => ({
  name,
  version,
  answer,
  gates: gates.map(({ gate, kind, state, why, wouldChange, evidence, waiver }) => ({
    gate,
    kind,
    state,
    why,
    would_change: wouldChange,
    evidence,
    ...(waiver && { waiver }),
  })),
})

const MARKS = { passed: '✓', refused: '✗', undecided: '?', waived: '~' } as const

const checkText = ({ name, version }: Released, { answer, gates }: ReleaseJudgement): string =>
  [
    `${name}, version ${version}: ${answer}`,
    '',
    table(
      ['', 'gate', '', 'why'],
      gates.map((gate) => [MARKS[gate.state], gate.gate, gate.state, whyText(gate)]),
    ),
  ].join('\n')

function whyText({ why, state, waiver }: JudgedGate): string {
  if (!waiver) return why
  const holds = state === 'waived' ? `waived until ${waiver.until}` : `its waiver ended on ${waiver.until}`
  return `${why}; ${holds} by ${waiver.by}: ${waiver.why}`
}
