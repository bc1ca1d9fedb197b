// Deployments in words and tables.

import type { FieldChange } from '@ironlaw/contracts'
import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import { showPercent } from '@ironlaw/units'
import type { Drill } from '@ironlaw/contracts/way-back-drill'
import { showDuration } from '../run/run-text.ts'
import { paint } from '../paint.ts'
import { table } from '../table.ts'

const COLOUR = {
  starting: 'yellow',
  serving: 'green',
  degraded: 'red',
  removing: 'yellow',
  removed: 'dim',
} as const satisfies Record<DeploymentView['state'], string>

export function deploymentsTable(deployments: readonly DeploymentView[], now: number): string {
  return table(
    ['DEPLOYMENT', 'STATE', 'SERVING', 'REVISION', 'ROLLOUT', 'AGE', 'WHY'],
    deployments.map((each) => [
      each.name,
      paint(COLOUR[each.state], each.state),
      `${each.serving}/${each.wanted}`,
      String(each.stable),
      each.rollout ? rolloutPhrase(each.rollout) : '',
      showDuration(now - each.created_at),
      each.why,
    ]),
    [2, 3, 5],
  )
}

type Rollout = NonNullable<DeploymentView['rollout']>

const rolloutPhrase = ({ revision, state, share }: Rollout): string => `${revision} ${state}${share > 0 ? ` ${showPercent(share, 0)}` : ''}`

const NAMES = {
  ttft: 'time to first token',
  tpot: 'time per token',
  errors: 'errors',
  quality: 'known prompts',
  outputs: 'answers that differ',
} as const

/** Its name, its state, and why it differs from the desired state. */
export const deploymentHead = ({ id, name, state, why }: DeploymentView): string =>
  `${paint('bold', name)} (${id})  ${paint(COLOUR[state], state)}${why === '' ? '' : `: ${why}`}`

export function rolloutText({ name, spec, stable, serving, wanted, rollout, previous, replicas }: DeploymentView, now: number): string {
  const byNeed = spec.scaling ? ` (${spec.scaling.min} to ${spec.scaling.max} by need)` : ''
  const head = `${paint('bold', name)}: revision ${stable} serves, ${serving} of ${wanted} replicas${byNeed}`
  const decide = rollout?.state === 'paused' ? [`decide: "ironlaw rollout promote ${name}", "resume" or "rollback"`] : []
  const back = previous ? [rollbackText(name, previous, now)] : []
  return [head, ...(rollout ? rolloutLines(rollout, now) : []), ...back, '', replicasTable(replicas, now), ...decide].join('\n')
}

function rollbackText(name: string, { revision, warm, until_at }: NonNullable<DeploymentView['previous']>, now: number): string {
  const kept =
    until_at === undefined ? 'no longer kept ready' : `${warm} replicas kept ready for ${showDuration(Math.max(0, until_at - now))} more`
  return `way back: revision ${revision}, ${kept}; "ironlaw rollout back ${name}"`
}

export function drillText({ tier, from, to, back_s, forth_s, limit_s, within, at, by }: Drill, now: number): string {
  const took = (span_s: number | undefined): string => (span_s === undefined ? 'not within the limit' : `in ${span_s.toFixed(1)} s`)
  const verdict = paint(within ? 'green' : 'red', within ? 'within' : 'beyond')
  const times = `from revision ${from} to ${to} ${took(back_s)}, and forth ${took(forth_s)}; ${verdict} the limit of ${limit_s} s`
  return `drill of the way back (${tier}), ${showDuration(now - at)} ago by ${by}: ${times}`
}

function rolloutLines(rollout: Rollout, now: number): readonly string[] {
  const { since_at, why, findings, revision, outputs } = rollout
  const line = `revision ${revision}: ${rolloutPhrase(rollout)} for ${showDuration(now - since_at)}${why === '' ? '' : `, ${why}`}`
  const lines = [line, ...(outputs ? [outputsLine(outputs)] : [])]
  if (findings.length === 0) return lines
  const rows = findings.map(({ of, verdict, effect, samples, needs, evidence }) => [
    NAMES[of],
    verdict,
    effect === undefined ? '' : effectText(of, effect),
    needs === undefined || samples >= needs || verdict !== 'undecided'
      ? samples.toFixed(0)
      : `${samples.toFixed(0)} of about ${needs.toFixed(0)}`,
    evidence.toFixed(1),
  ])
  return [...lines, '', table(['GUARDRAIL', 'VERDICT', 'EFFECT', 'ANSWERS', 'EVIDENCE'], rows, [2, 3, 4])]
}

/** A field that is not set has the default documented in the guide. */
export function changesTable(changes: readonly FieldChange[]): string {
  const showValue = (value: FieldChange['now']): string => (value === undefined ? '(default)' : String(value))
  return table(
    ['FIELD', 'NOW', 'NEW'],
    changes.map(({ path, now, next }) => [path, showValue(now), showValue(next)]),
  )
}

export function replicasTable(replicas: DeploymentView['replicas'], now: number): string {
  return table(
    ['REPLICA', 'REVISION', 'STATE', 'FOR', 'URL', 'WHY'],
    replicas.map(({ id, revision, state, since_at, url = '', detail = '' }) => [
      id,
      String(revision),
      state,
      showDuration(now - since_at),
      url,
      detail,
    ]),
    [1, 3],
  )
}

function outputsLine({ pairs, length_ratio, compared, same, agreement }: NonNullable<Rollout['outputs']>): string {
  const lengths = `${pairs} answers to copies: ${length_ratio.toFixed(2)} x as long as what clients got`
  return compared === 0
    ? lengths
    : `${lengths}, of ${compared} greedy ones ${showPercent(same)} the same, ${showPercent(agreement)} of the text agrees`
}

const effectText = (of: keyof typeof NAMES, effect: number): string =>
  of === 'outputs' ? showPercent(effect) : of === 'ttft' || of === 'tpot' ? `x ${effect.toFixed(2)}` : `${(100 * effect).toFixed(1)} points`
