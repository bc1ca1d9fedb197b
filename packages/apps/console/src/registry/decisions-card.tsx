// Who decided what about a version, when and why: newest first, on a line of time.

import type { Decision } from '@ironlaw/contracts/model-registry'
import type { ReactNode } from 'react'
import { artifactHref, keepProject } from '../places.ts'
import { showAgo } from '../runs/run-words.tsx'
import { BarBox } from '../ui/bar-box.tsx'
import { Card, Empty } from '../ui/card.tsx'
import type { CsvRow } from '../ui/csv.ts'
import { shortId, showDay, StateChip } from './version-words.tsx'

type DecisionsCardProps = { readonly decisions: readonly Decision[]; readonly project: string }

export const DecisionsCard = ({ decisions, project }: DecisionsCardProps): ReactNode => (
  <Card title="Decisions" about="Newest first. Each is an event in the chain of the project's artifacts, and stays.">
    {decisions.length === 0 ? (
      <Empty>Nobody has decided about this version yet: it is a candidate.</Empty>
    ) : (
      <BarBox label="Decisions" heads={HEADS} rows={decisions.map(csvRow)}>
        <ol className="decisions">
          {decisions.map((decision) => (
            <DecisionItem key={decision.number} decision={decision} project={project} />
          ))}
        </ol>
      </BarBox>
    )}
  </Card>
)

const HEADS = ['number', 'answer', 'at', 'by', 'why', 'rule', 'otherwise', 'until', 'evidence']

const csvRow = ({ number, answer, at, by, why, rule, otherwise = '', until_at, evidence }: Decision): CsvRow => [
  number,
  answer,
  new Date(1000 * at).toISOString(),
  by,
  why,
  rule,
  otherwise,
  until_at === undefined ? '' : showDay(until_at),
  evidence.artifacts.join(' '),
]

type DecisionItemProps = { readonly decision: Decision; readonly project: string }

function DecisionItem({ decision, project }: DecisionItemProps): ReactNode {
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
    </li>
  )
}
