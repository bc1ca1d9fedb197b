// Who decided what about a version, when and why: newest first, on a line of time.

import type { Approvals, Decision, ModelView } from '@ironlaw/contracts/model-registry'
import { DISCOUNT_TEXT } from '@ironlaw/policies/release'
import type { ReactNode } from 'react'
import { artifactHref, keepProject } from '../places.ts'
import { showAgo } from '../runs/run-words.tsx'
import { BarBox } from '../ui/bar-box.tsx'
import { Card, Empty } from '../ui/card.tsx'
import type { CsvRow } from '../ui/csv.ts'
import { DecisionGates } from './decision-gates.tsx'
import { peopleText, shortId, showDay, StateChip } from './version-words.tsx'

type DecisionsCardProps = { readonly model: ModelView }

export const DecisionsCard = ({ model, model: { decisions, approvals } }: DecisionsCardProps): ReactNode => (
  <Card title="Decisions" about="Newest first. Each is an event in the chain of the project's artifacts, and stays.">
    {approvals && <ApprovalsGiven approvals={approvals} />}
    {decisions.length === 0 ? (
      <Empty>Nobody has decided about this version yet: it is a candidate.</Empty>
    ) : (
      <BarBox label="Decisions" heads={HEADS} rows={decisions.map(csvRow)}>
        <ol className="decisions">
          {decisions.map((decision) => (
            <DecisionItem key={decision.number} decision={decision} model={model} />
          ))}
        </ol>
      </BarBox>
    )}
  </Card>
)

/** Who has approved since the last refusal, and who is missing for a release. */
function ApprovalsGiven({ approvals: { needed, given, discounted, missing } }: { readonly approvals: Approvals }): ReactNode {
  const groups = [...new Set(missing.flatMap((each) => each.groups))]
  return (
    <div role="group" aria-label="Approvals">
      <p>
        A release needs approvals: {peopleText(needed)}. {missing.length === 0 ? 'All are given.' : `Missing: ${peopleText(missing)}`}
        {groups.length > 0 && `, of ${groups.join(', ')}`}
      </p>
      {given.length > 0 && <p className="quiet long">Approved by {given.map(({ by, role }) => `${by} (${role})`).join(', ')}</p>}
      {discounted.map(({ number, by, because }) => (
        <p key={number} className="quiet long">
          Decision {number} does not count: {by} {DISCOUNT_TEXT[because]}
        </p>
      ))}
    </div>
  )
}

const HEADS = ['number', 'answer', 'at', 'by', 'role', 'why', 'rule', 'otherwise', 'until', 'evidence']

const csvRow = ({ number, answer, at, by, role, why, rule, otherwise = '', until_at, evidence }: Decision): CsvRow => [
  number,
  answer,
  new Date(1000 * at).toISOString(),
  by,
  role ?? '',
  why,
  rule,
  otherwise,
  until_at === undefined ? '' : showDay(until_at),
  evidence.artifacts.join(' '),
]

type DecisionItemProps = { readonly decision: Decision; readonly model: ModelView }

function DecisionItem({ decision, model, model: { project } }: DecisionItemProps): ReactNode {
  const { number, answer, at, by, why, rule, otherwise, until_at, evidence } = decision
  return (
    <li>
      <p>
        <StateChip state={answer} /> <strong>{by}</strong>{' '}
        <time className="quiet" title={new Date(1000 * at).toISOString()}>
          {showAgo(at)}
        </time>
        <span className="quiet">
          {' '}
          · decision {number}
          {until_at !== undefined && `, ${until_at < Date.now() / 1000 ? 'ended' : 'until'} ${showDay(until_at)}`}
        </span>
      </p>
      <p className="long">{why}</p>
      {otherwise !== undefined && <p className="quiet long">Otherwise decided: {otherwise}</p>}
      {rule !== 'judgement' && (
        <p className="quiet long">
          By the rule <code>{rule}</code>
        </p>
      )}
      {evidence.figures.length > 0 && (
        <p className="quiet long">{evidence.figures.map(({ name, value, unit = '' }) => `${name} ${value} ${unit}`.trim()).join(', ')}</p>
      )}
      {evidence.artifacts.length > 0 && (
        <p className="quiet">
          Evidence:{' '}
          {evidence.artifacts.map((id, index) => (
            <span key={id}>
              {index > 0 && ', '}
              <a href={keepProject(artifactHref(project, id))}>{shortId(id)}</a>
            </span>
          ))}
        </p>
      )}
      <DecisionGates decision={decision} model={model} />
    </li>
  )
}
