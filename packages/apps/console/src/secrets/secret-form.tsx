// Sets a secret or gives it a new value. The value leaves the page with the request and is not shown again.

import type { EVERY_PROJECT } from '@ironlaw/contracts'
import { SECRET_NAME } from '@ironlaw/contracts/secrets'
import { type ReactNode, type RefObject, useId, useState } from 'react'
import { call, type Problem } from '../runs/api.ts'
import { Card } from '../ui/card.tsx'
import { ProjectField } from '../ui/project-field.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { TextField } from '../ui/text-field.tsx'
import type { ProjectSecret } from './use-secrets.ts'

export type SecretDraft = { readonly project: string; readonly name: string }

export type SecretFormProps = {
  /** Where the person may set secrets. */
  readonly projects: typeof EVERY_PROJECT | readonly string[]
  readonly draft: SecretDraft
  /** What has that name already. */
  readonly replaced: ProjectSecret | undefined
  /** For "Replace" of the table, which leads here. */
  readonly valueField: RefObject<HTMLInputElement | null>
  readonly onDraft: (draft: SecretDraft) => void
  readonly onSet: (set: ProjectSecret) => void
}

const NAME_HINT = 'As specs refer to it, such as hf-token'

const nameProblem = (name: string): string => {
  const checked = SECRET_NAME.safeParse(name)
  return name === '' || checked.success ? '' : (checked.error.issues[0]?.message ?? '')
}

export function SecretForm({ projects, draft, replaced, valueField, onDraft, onSet }: SecretFormProps): ReactNode {
  const [value, setValue] = useState('')
  const [problem, setProblem] = useState<Problem>()
  const isComplete = SECRET_NAME.safeParse(draft.name).success && SECRET_NAME.safeParse(draft.project).success && value !== ''
  const submit = async (): Promise<void> => {
    const answer = await call('setSecret', { ...draft, body: { value } })
    setProblem(answer.ok ? undefined : answer)
    if (!answer.ok) return
    setValue('')
    onSet({ ...answer.value, project: draft.project })
  }
  return (
    <Card
      title={replaced ? 'Replace a secret' : 'Set a secret'}
      about={
        <>
          Sealed at once: nothing shows the value again. A job whose spec names the secret gets it in a file. For a value of several lines
          use{' '}
          <code>
            ironlaw secret set {draft.name || 'NAME'} --project {draft.project} &lt; FILE
          </code>
          .
        </>
      }
      wide
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isComplete) void submit()
        }}
      >
        <div className="launch-form">
          <ProjectField projects={projects} value={draft.project} onChange={(project) => onDraft({ ...draft, project: project.trim() })} />
          <TextField
            label="Name"
            value={draft.name}
            hint={NAME_HINT}
            problem={nameProblem(draft.name)}
            onChange={(name) => onDraft({ ...draft, name: name.trim() })}
          />
          <ValueField value={value} replaced={replaced} field={valueField} onChange={setValue} />
        </div>
        <button type="submit" className="button primary" disabled={!isComplete}>
          {replaced ? 'Replace' : 'Set'}
        </button>
      </form>
      {problem && <Refusal problem={problem} />}
    </Card>
  )
}

type ValueFieldProps = Pick<SecretFormProps, 'replaced'> & {
  readonly value: string
  readonly field: SecretFormProps['valueField']
  readonly onChange: (value: string) => void
}

function ValueField({ value, replaced, field, onChange }: ValueFieldProps): ReactNode {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>Value</label>
      <input
        id={id}
        ref={field}
        type="password"
        autoComplete="off"
        spellCheck={false}
        value={value}
        aria-describedby={`${id}-note`}
        onChange={({ target }) => onChange(target.value)}
      />
      <span id={`${id}-note`} className="note">
        {replaced ? `Becomes version ${replaced.version + 1}, for jobs that start from then on` : 'For jobs that start from then on'}
      </span>
    </div>
  )
}
