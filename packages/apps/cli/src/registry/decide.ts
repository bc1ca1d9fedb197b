// `ironlaw decide`: reads what was decided before, so that two people do not decide past each other.

import { randomUUID } from 'node:crypto'
import { IronlawError } from '@ironlaw/contracts'
import type { Approvals, Decide, Decision } from '@ironlaw/contracts/model-registry'
import { DISCOUNT_TEXT } from '@ironlaw/policies/release'
import type { CommandAnswer } from '../answer.ts'
import { api } from '../api/api-client.ts'
import { shortId } from '../artifact/artifacts.ts'
import { context } from '../context/context.ts'
import { showClock } from '../run/run-text.ts'

export type DecideVerb = 'approve' | 'release' | 'refuse' | 'waive' | 'retire'

export type DecideFlags = {
  readonly project: string
  readonly why: string
  readonly evidence?: readonly string[]
  readonly figure?: readonly string[]
  readonly otherwise?: string
  readonly rule?: string
  readonly until?: string
}

const PLAIN = { approve: 'approved', release: 'released', refuse: 'refused', retire: 'retired' } as const

export async function decideAnswer(artifact: string, verb: DecideVerb, flags: DecideFlags): Promise<CommandAnswer> {
  const { project, why, evidence = [], figure = [], otherwise, rule } = flags
  const answer = answerOf(verb, flags.until)
  const figures = figure.map(figureOf)
  const client = api(context())
  const { id, names, decisions, uncommitted } = await client.getModel({ project, artifact })
  const decision = await client.decideModel({
    project,
    artifact: id,
    headers: { 'idempotency-key': randomUUID() },
    body: {
      ...answer,
      seen: decisions[0]?.number ?? 0,
      why,
      evidence: { artifacts: [...evidence], figures },
      ...(otherwise !== undefined && { otherwise }),
      ...(rule !== undefined && { rule }),
    },
  })
  const { approvals } = verb === 'approve' ? await client.getModel({ project, artifact: id }) : {}
  return {
    json: decision,
    text: () => [`${names[0] ?? shortId(id)}: ${decisionText(decision)}`, ...(approvals ? approvalLines(approvals) : [])].join('\n'),
    ...(uncommitted && {
      notes: ['its code had changes that are in no commit: the digest of these changes is known, what they were is not'],
    }),
  }
}

type AnswerFields =
  | Pick<Extract<Decide, { readonly answer: 'waived' }>, 'answer' | 'until_at'>
  | Pick<Exclude<Decide, { readonly answer: 'waived' }>, 'answer'>

function answerOf(verb: DecideVerb, until: string | undefined): AnswerFields {
  const refuse = (problem: string) => new IronlawError('IL_USAGE', { problem, command: 'decide' })
  if (verb !== 'waive') {
    if (until !== undefined) throw refuse(`--until belongs to "waive"; "${verb}" holds until another decision`)
    return { answer: PLAIN[verb] }
  }
  if (until === undefined) throw refuse('a waiver needs --until, such as 2027-01-31')
  const end = /^\d{4}-\d{2}-\d{2}$/.test(until) ? Date.parse(until) : Number.NaN
  if (Number.isNaN(end)) throw refuse(`--until ${until} is not a date such as 2027-01-31`)
  return { answer: 'waived', until_at: end / 1000 }
}

function figureOf(text: string): { name: string; value: number } {
  const [, name = '', value = ''] = /^([^=]+)=(.+)$/.exec(text) ?? []
  if (name === '' || !Number.isFinite(Number(value)))
    throw new IronlawError('IL_USAGE', { problem: `--figure ${text} is not NAME=NUMBER, such as accuracy=0.82`, command: 'decide' })
  return { name, value: Number(value) }
}

/** What a release of this version still needs. */
export function approvalLines({ needed, given, discounted, missing }: Approvals): readonly string[] {
  const needs = needed.map(({ role, people }) => `${people} of role ${role}`).join(' and ')
  return [
    missing.length === 0 ? `approved: a release needs ${needs}` : `a release needs approvals: ${needs}`,
    ...given.map(({ by, role, number }) => `  approved by ${by}, ${role} (decision ${number})`),
    ...discounted.map(({ by, number, because }) => `  does not count: ${by} (decision ${number}) ${DISCOUNT_TEXT[because]}`),
    ...missing.map(
      ({ role, people, groups }) => `  missing: ${people} of role ${role}${groups.length === 0 ? '' : `, of ${groups.join(', ')}`}`,
    ),
  ]
}

export function decisionText({ number, answer, by, at, why, until_at, otherwise }: Decision): string {
  const until = until_at === undefined ? '' : ` until ${new Date(until_at * 1000).toISOString().slice(0, 10)}`
  const other = otherwise === undefined ? '' : `; otherwise decided: ${otherwise}`
  return `${answer}${until} by ${by} at ${showClock(at)} (decision ${number}): ${why}${other}`
}
