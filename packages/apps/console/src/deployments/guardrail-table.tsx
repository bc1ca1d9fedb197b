// The state of every guardrail: the size of the difference, the number of answers, and the distance to a verdict.

import type { Guardrail, EvidenceTrail, GuardrailRule } from '@ironlaw/contracts/deployment-figures'
import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import type { ReactNode } from 'react'
import { showPercent } from '@ironlaw/units'
import { Heads } from '../ui/heads.tsx'
import { TableBox } from '../ui/table-box.tsx'
import { GUARDRAIL_INK, GUARDRAIL_NAMES } from './evidence-plot.tsx'
import { GUARDRAILS } from './words.tsx'

type Rollout = NonNullable<DeploymentView['rollout']>
type Verdict = Rollout['findings'][number]['verdict']

export type GuardrailTableProps = { readonly rollout: Rollout; readonly rule: GuardrailRule; readonly trail: EvidenceTrail | undefined }

type Standing = {
  readonly of: Guardrail
  readonly evidence: number
  readonly verdict: Verdict
  readonly effect?: number
  readonly samples?: number
  readonly needs?: number
}

export const GuardrailTable = ({ rollout, rule, trail }: GuardrailTableProps): ReactNode => (
  <TableBox label="Table of guardrails">
    <table>
      <thead>
        <tr>
          <Heads names={['Guardrail', 'As good ⟷ worse']} />
          <Heads names={['Now', 'Allowed', 'Answers']} numbers />
        </tr>
      </thead>
      <tbody>
        {standings(rollout, rule, trail).map(({ of, evidence, verdict, effect, samples, needs }) => (
          <tr key={of}>
            <td>
              <i className={`swatch ${GUARDRAIL_INK[of]}`} /> {GUARDRAILS[of]}
            </td>
            <td>
              <span className="between">
                <i className={verdict} style={{ left: `${100 * evidencePosition(evidence, rule)}%` }} />
              </span>{' '}
              <span className={`verdict ${verdict}`}>{verdict.replace('-', ' ')}</span>
            </td>
            <td className="number">{effect === undefined ? '–' : effectText(of, effect)}</td>
            <td className="number quiet">
              {rule.margins[of] === undefined ? '' : `${of === 'outputs' ? '' : '+'}${showPercent(rule.margins[of], 0)}`}
            </td>
            <td className="number">
              {samples === undefined ? '–' : Math.round(samples)}
              {needs !== undefined && (samples ?? 0) < needs && verdict === 'undecided' && (
                <span className="quiet"> of about {Math.round(needs)}</span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </TableBox>
)

/** The control plane's current figures while the rollout runs; afterwards, the last point of the trail. */
function standings({ findings }: Rollout, rule: GuardrailRule, trail: EvidenceTrail | undefined): readonly Standing[] {
  if (findings.length > 0) return findings
  const last = trail?.points.at(-1)?.evidence ?? {}
  return GUARDRAIL_NAMES.flatMap((of) => {
    const evidence = last[of]
    return evidence === undefined ? [] : [{ of, evidence, verdict: verdictOf(evidence, rule) }]
  })
}

const verdictOf = (evidence: number, { worse, as_good }: GuardrailRule): Verdict =>
  evidence >= worse ? 'worse' : evidence <= as_good ? 'as-good' : 'undecided'

const evidencePosition = (evidence: number, { worse, as_good }: GuardrailRule): number =>
  Math.max(0, Math.min(1, (evidence - as_good) / (worse - as_good)))

const effectText = (of: Guardrail, effect: number): string =>
  of === 'outputs'
    ? showPercent(effect, 1)
    : of === 'ttft' || of === 'tpot'
      ? `× ${effect.toFixed(2)}`
      : `${effect < 0 ? '−' : '+'}${(100 * Math.abs(effect)).toFixed(1)} points`
