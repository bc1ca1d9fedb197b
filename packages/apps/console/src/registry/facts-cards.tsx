// What is known of a version, with its origin, and what is not, with the command that states it.

import type { KnownFact, MissingFact } from '@ironlaw/contracts/model-registry'
import { counted } from '@ironlaw/units'
import { type ReactNode, useMemo } from 'react'
import { artifactHref, keepProject, runHref } from '../places.ts'
import { Card } from '../ui/card.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { datasetsOf, factName, factText, shortId } from './version-words.tsx'

const ORIGINS: Readonly<Record<KnownFact['from'], string>> = {
  stated: 'stated with the artifact',
  run: 'the run that made it',
  edges: 'what the run used, or what names it',
  ledger: 'the ledger of the run',
}

type FactsCardProps = { readonly known: readonly KnownFact[]; readonly project: string }

export function FactsCard({ known, project }: FactsCardProps): ReactNode {
  const columns = useMemo(
    (): readonly Column<KnownFact>[] => [
      { name: 'Fact', value: ({ fact }) => factName(fact) },
      {
        name: 'Value',
        className: 'wraps',
        value: ({ value }) => factText(value),
        cell: (row) => <FactValue known={row} project={project} />,
      },
      { name: 'From', value: ({ from }) => ORIGINS[from] },
    ],
    [project],
  )
  return (
    <Card title="What is known" about="What was stated with the artifact belongs to its identity and counts before what the run says." wide>
      <DataTable name="facts" label="Table of facts" columns={columns} rows={known} keyOf={({ fact }) => fact} />
    </Card>
  )
}

function FactValue({ known: { fact, value }, project }: { readonly known: KnownFact; readonly project: string }): ReactNode {
  if (fact === 'run' && typeof value === 'string') return <a href={keepProject(runHref(value))}>{value}</a>
  const { ids } = datasetsOf(fact === 'data' ? value : undefined)
  if (ids.length > 0)
    return ids.map((id, index) => (
      <span key={id}>
        {index > 0 && ', '}
        <a href={keepProject(artifactHref(project, id))}>{shortId(id)}</a>
      </span>
    ))
  if (typeof value !== 'object' || value === null) return String(value)
  return (
    <dl className="fact-fields">
      {Object.entries(value).map(([field, own]) => (
        <div key={field}>
          <dt>{factName(field)}</dt>
          <dd>{factText(own)}</dd>
        </div>
      ))}
    </dl>
  )
}

export const MissingCard = ({ missing }: { readonly missing: readonly MissingFact[] }): ReactNode => (
  <Card
    title="What is missing"
    about="To state a fact makes a new version, since facts belong to the identity."
    aside={<span className="quiet">{missing.length}</span>}
    wide
  >
    <MissingList missing={missing.filter(({ blocks }) => blocks)} />
    {missing.some(({ blocks }) => !blocks) && (
      <details className="optional" open={missing.every(({ blocks }) => !blocks)}>
        <summary>{counted(missing.filter(({ blocks }) => !blocks).length, 'fact')} that a release does not need</summary>
        <MissingList missing={missing.filter(({ blocks }) => !blocks)} />
      </details>
    )}
  </Card>
)

const MissingList = ({ missing }: { readonly missing: readonly MissingFact[] }): ReactNode => (
  <ul className="missing">
    {missing.map(({ fact, blocks, next }) => (
      <li key={fact}>
        <span>
          {factName(fact)} {blocks && <span className="chip bad">blocks a release</span>}
        </span>
        <code className="long">{next}</code>
      </li>
    ))}
  </ul>
)
