// Secrets of projects: which there are, who set them and when. Values go in and never come out.

import { projectsOf } from '@ironlaw/contracts'
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { call, type Problem } from '../runs/api.ts'
import { showAgo } from '../runs/run-words.tsx'
import { ProjectFilter } from '../shell/project-filter.tsx'
import { usePerson } from '../shell/use-grants.ts'
import { chooseProject, useProject, useProjects } from '../shell/use-projects.ts'
import { ConfirmButton } from '../ui/ask-first.tsx'
import { Card, Empty } from '../ui/card.tsx'
import { Connected, LeaveButton } from '../ui/connected.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { type SecretDraft, SecretForm } from './secret-form.tsx'
import { type ProjectSecret, useSecrets } from './use-secrets.ts'

export const SecretsPage = (): ReactNode => <Connected title="Secrets">{(forget) => <Secrets onForget={forget} />}</Connected>

type Outcome = { readonly kind: 'done'; readonly text: string } | { readonly kind: 'refused'; readonly problem: Problem }

function Secrets({ onForget }: { readonly onForget: () => void }): ReactNode {
  const person = usePerson()
  const project = useProject()
  const projects = useProjects('operator')
  const [changes, setChanges] = useState(0)
  const [outcome, setOutcome] = useState<Outcome>()
  /** What was typed belongs to the project that was chosen then. */
  const [typed, setTyped] = useState<{ readonly chosen: string; readonly draft: SecretDraft }>()
  const [replacing, setReplacing] = useState(0)
  const valueField = useRef<HTMLInputElement>(null)
  const shown = project === '' ? projects : [project]
  const answer = useSecrets(shown, changes)
  const secrets = answer?.ok ? answer.value : []
  const draft = typed?.chosen === project ? typed.draft : { project: project || (projects?.[0] ?? ''), name: '' }
  const edit = useCallback((next: SecretDraft) => setTyped({ chosen: project, draft: next }), [project])
  const replace = useCallback(
    ({ project: of, name }: SecretDraft): void => {
      edit({ project: of, name })
      setReplacing((before) => before + 1)
    },
    [edit],
  )
  useEffect(() => {
    if (replacing > 0) valueField.current?.focus()
  }, [replacing])
  const remove = useCallback(async ({ project: of, name }: SecretDraft): Promise<void> => {
    const removed = await call('deleteSecret', { project: of, name })
    setOutcome(removed.ok ? { kind: 'done', text: `Deleted ${name} of ${of}.` } : { kind: 'refused', problem: removed })
    setChanges((before) => before + 1)
  }, [])
  const handleSet = ({ name, project: of, version }: ProjectSecret): void => {
    setOutcome({ kind: 'done', text: `Set ${name} of ${of}, version ${version}.` })
    edit({ project: of, name: '' })
    setChanges((before) => before + 1)
    if (shown && !shown.includes(of)) chooseProject(of)
  }
  return (
    <>
      <header className="page-head">
        <h1>Secrets</h1>
        <ProjectFilter projects={projects} />
        <LeaveButton onLeave={onForget} />
      </header>
      {!answer && <Empty>Loading…</Empty>}
      {answer && !answer.ok && <Refusal problem={answer} />}
      {outcome?.kind === 'refused' && <Refusal problem={outcome.problem} />}
      <p role="status" className="outcome">
        {outcome?.kind === 'done' && outcome.text}
      </p>
      {answer?.ok && secrets.length === 0 && <NoSecrets project={draft.project} isFiltered={project !== ''} />}
      <div className="cards">
        {secrets.length > 0 && <SecretTable secrets={secrets} onReplace={replace} onRemove={remove} />}
        {person && projects && (
          // A value that was typed for one secret is never sent as another's.
          <SecretForm
            key={`${project} ${replacing}`}
            projects={projectsOf(person, 'operator')}
            draft={draft}
            replaced={secrets.find((each) => each.project === draft.project && each.name === draft.name)}
            valueField={valueField}
            onDraft={edit}
            onSet={handleSet}
          />
        )}
      </div>
    </>
  )
}

const NoSecrets = ({ project, isFiltered }: { readonly project: string; readonly isFiltered: boolean }): ReactNode => (
  <Empty>
    No secrets {isFiltered ? `in ${project}` : 'yet'}. Set one below, or with{' '}
    <code>
      ironlaw secret set hf-token --project {project} {'<'} token.txt
    </code>
    . A spec names it: <code>{'secrets: { HF_TOKEN: hf-token }'}</code>.
  </Empty>
)

type SecretTableProps = {
  readonly secrets: readonly ProjectSecret[]
  readonly onReplace: (secret: SecretDraft) => void
  readonly onRemove: (secret: SecretDraft) => Promise<void>
}

const COLUMNS: readonly Column<ProjectSecret>[] = [
  { name: 'Name', value: ({ name }) => name, cell: ({ name }) => <code>{name}</code> },
  { name: 'Project', value: ({ project }) => project },
  { name: 'Version', isNumber: true, value: ({ version }) => version },
  { name: 'Set by', value: ({ created_by }) => created_by },
  {
    name: 'When',
    isNumber: true,
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => <time title={new Date(1000 * created_at).toISOString()}>{showAgo(created_at)}</time>,
  },
]

function SecretTable({ secrets, onReplace, onRemove }: SecretTableProps): ReactNode {
  const columns = useMemo(
    (): readonly Column<ProjectSecret>[] => [
      ...COLUMNS,
      {
        name: 'Actions',
        hasButtons: true,
        value: () => undefined,
        cell: (secret) => (
          <span className="row">
            <button type="button" className="button" onClick={() => onReplace(secret)}>
              Replace
            </button>
            <ConfirmButton really={`Confirm: delete ${secret.name}`} onAgreed={() => void onRemove(secret)}>
              Delete
            </ConfirmButton>
          </span>
        ),
      },
    ],
    [onReplace, onRemove],
  )
  return (
    <Card
      title={secrets.length === 1 ? '1 secret' : `${secrets.length} secrets`}
      about="Deleting removes all versions of a value; jobs that have it keep it."
      wide
    >
      <DataTable
        name="secrets"
        label="Table of secrets"
        columns={columns}
        rows={secrets}
        keyOf={({ project, name }) => `${project} ${name}`}
      />
    </Card>
  )
}
