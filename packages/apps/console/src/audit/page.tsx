// Who changed what through the API or was refused, and whether the trail is as it was written.

import type { AccessRecord } from '@ironlaw/contracts/audit-api'
import type { ReactNode } from 'react'
import { oneOf, text } from '../address.ts'
import { showAgo } from '../runs/run-words.tsx'
import { useResource } from '../runs/use-live.ts'
import { ProjectFilter } from '../shell/project-filter.tsx'
import { useAllowed } from '../shell/use-grants.ts'
import { useProject, useProjects } from '../shell/use-projects.ts'
import { Card, Empty } from '../ui/card.tsx'
import { Connected, LeaveButton } from '../ui/connected.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Segments } from '../ui/fields.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useAddress } from '../use-address.ts'
import { VerifyCard } from './verify-card.tsx'

const SHOWN = ['everything', 'refused'] as const
const MOST = 200

const AUDIT = { show: oneOf(SHOWN), who: text('') }

export function AuditPage(): ReactNode {
  const [{ show, who }, change] = useAddress('audit', AUDIT)
  const project = useProject()
  const projects = useProjects('admin')
  const canVerify = useAllowed('audit')
  return (
    <Connected title="Audit">
      {(forget) => (
        <>
          <header className="page-head">
            <h1>Audit</h1>
            <ProjectFilter projects={projects} />
            <Segments label="Show" value={show} options={SHOWN} onChange={(next) => change({ show: next })} />
            <TextField label="Who" value={who} placeholder="id of a token or person" onChange={(next) => change({ who: next.trim() })} />
            <LeaveButton onLeave={forget} />
          </header>
          <div className="cards">
            <Records isRefused={show === 'refused'} project={project} who={who} />
            {canVerify && <VerifyCard />}
          </div>
        </>
      )}
    </Connected>
  )
}

type RecordsProps = { readonly isRefused: boolean; readonly project: string; readonly who: string }

function Records({ isRefused, project, who }: RecordsProps): ReactNode {
  const query = {
    limit: MOST,
    ...(isRefused && { refused: 'true' as const }),
    ...(project !== '' && { project }),
    ...(who !== '' && { who }),
  }
  const answer = useResource('listAccess', { query }, 0)
  if (!answer) return <Empty>Loading…</Empty>
  if (!answer.ok) return <Refusal problem={answer} />
  const { items, next } = answer.value
  if (items.length === 0)
    return (
      <Empty>
        Nothing was {isRefused ? 'refused' : 'changed or refused'}
        {project !== '' && ` in ${project}`}
        {who !== '' && ` of ${who}`}.
      </Empty>
    )
  return (
    <Card
      title={next === null ? `${items.length} ${items.length === 1 ? 'record' : 'records'}` : `The newest ${items.length} records`}
      about={
        <>
          Every change through the API and every refusal; <code>ironlaw audit list</code> prints all of them.
        </>
      }
      wide
    >
      <DataTable
        name="records"
        label="Table of access records"
        columns={COLUMNS}
        rows={items}
        keyOf={({ stream, sequence }) => `${stream} ${sequence}`}
      />
    </Card>
  )
}

const resultText = ({ result, status }: AccessRecord): string =>
  result === 'done' || status === undefined ? result : `${result} ${status}`

const COLUMNS: readonly Column<AccessRecord>[] = [
  {
    name: 'When',
    isNumber: true,
    value: ({ at }) => at,
    cell: ({ at }) => <time title={new Date(1000 * at).toISOString()}>{showAgo(at)}</time>,
  },
  { name: 'Who', value: ({ who }) => who },
  { name: 'From', value: ({ from }) => from },
  { name: 'Operation', value: ({ operation, count }) => operation ?? (count === undefined ? undefined : `${count} more refusals`) },
  { name: 'Object', value: ({ object }) => object },
  { name: 'Project', value: ({ project }) => project },
  {
    name: 'Result',
    value: resultText,
    cell: (record) => (record.result === 'refused' ? <span className="chip bad">{resultText(record)}</span> : resultText(record)),
  },
  { name: 'Request', className: 'quiet', value: ({ request }) => request },
]
