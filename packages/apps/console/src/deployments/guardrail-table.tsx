// The state of every guardrail: the size of the difference, the number of answers, and the distance to a verdict.

import type { Guardrail, EvidenceTrail, GuardrailRule } from '@ironlaw/contracts/deployment-figures'
import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import { type ReactNode, useMemo } from 'react'
import { showPercent } from '@ironlaw/units'
import { type Column, DataTable } from '../ui/data-table.tsx'
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

export function GuardrailTable({ rollout, rule, trail }: GuardrailTableProps): ReactNode {
  const columns = useMemo(() => columnsOf(rule), [rule])
  return (
    <DataTable
      name="guardrails"
      label="Table of guardrails"
      columns={columns}
      rows={standings(rollout, rule, trail)}
      keyOf={({ of }) => of}
    />
  )
}

const columnsOf = (rule: GuardrailRule): readonly Column<Standing>[] => [
  {
    name: 'Guardrail',
    value: ({ of }) => GUARDRAILS[of],
    cell: ({ of }) => (
      <>
        <i className={`swatch ${GUARDRAIL_INK[of]}`} /> {GUARDRAILS[of]}
      </>
    ),
  },
  {
    name: 'As good ⟷ worse',
    value: ({ evidence }) => evidence,
    cell: ({ evidence, verdict }) => (
      <>
        <span className="between">
          <i className={verdict} style={{ left: `${100 * evidencePosition(evidence, rule)}%` }} />
        </span>{' '}
        <span className={`verdict ${verdict}`}>{verdict.replace('-', ' ')}</span>
      </>
    ),
  },
  {
    name: 'Now',
    isNumber: true,
    isSortable: false,
    value: ({ of, effect }) => (effect === undefined ? undefined : effectText(of, effect)),
  },
  {
    name: 'Allowed',
    isNumber: true,
    isSortable: false,
    className: 'quiet',
    value: ({ of }) => (rule.margins[of] === undefined ? '' : `${of === 'outputs' ? '' : '+'}${showPercent(rule.margins[of], 0)}`),
  },
  {
    name: 'Answers',
    isNumber: true,
    value: ({ samples }) => samples,
    cell: ({ samples, needs, verdict }) => (
      <>
        {samples === undefined ? '–' : Math.round(samples)}
        {needs !== undefined && (samples ?? 0) < needs && verdict === 'undecided' && (
          <span className="quiet"> of about {Math.round(needs)}</span>
        )}
      </>
    ),
  },
]

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
