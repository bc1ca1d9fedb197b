// Starts the selected plan: shows it as YAML and as an API request, and asks for confirmation.

import type { CreateRun, RunView } from '@ironlaw/contracts/api'
import type { Framework } from '@ironlaw/exporters'
import { dollars, seconds, show } from '@ironlaw/units'
import { memo, type ReactNode, useState } from 'react'
import { runHref } from '../places.ts'
import { type ApiResult, call } from '../runs/api.ts'
import { useProject } from '../shell/use-projects.ts'
import { ConfirmButton } from '../ui/ask-first.tsx'
import { Card } from '../ui/card.tsx'
import { Select } from '../ui/fields.tsx'
import { ProjectField } from '../ui/project-field.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { TextField } from '../ui/text-field.tsx'
import { formProblems, isComplete } from './form-problems.ts'
import { InexactBox, Offered, RefusalBox, SPEC_ONLY } from './launch-parts.tsx'
import { type RunForm, runRequest, slug, type StartableSpec, trainYaml } from './run-request.ts'
import { SpecText } from './spec-text.tsx'
import { firstProject, type LaunchOffer, launchProjects, useLaunchOffer } from './use-launch-offer.ts'

const FRAMEWORKS: readonly { readonly id: Framework; readonly name: string }[] = [
  { id: 'sdk', name: 'Ironlaw SDK, or a plain script' },
  { id: 'megatron-core', name: 'Megatron-LM' },
  { id: 'torchtitan', name: 'torchtitan' },
  { id: 'deepspeed', name: 'DeepSpeed' },
]

export type RunCardProps = {
  readonly startable: StartableSpec
  /** Undefined until they are computed. */
  readonly losses: CreateRun['expected_losses_s']
  /** Limits of the question that the plan violates: such a plan is not run. */
  readonly violated: readonly string[]
  /** Of a pasted model. */
  readonly config: string
}

type EditedFields = Partial<RunForm>

export const RunCard = memo(({ startable, losses, violated, config }: RunCardProps): ReactNode => {
  const [edited, setEdited] = useState<EditedFields>({})
  const [answer, setAnswer] = useState<ApiResult<RunView>>()
  const offer = useLaunchOffer('createRun')
  const chosen = useProject()
  const form: RunForm = {
    name: slug(startable.spec.name),
    program: 'train.py',
    directory: '/path/to/project',
    framework: 'sdk',
    project: firstProject(launchProjects(offer), chosen),
    acceptsInexact: false,
    ...edited,
  }
  const request = runRequest(startable, form, losses)
  const start = async (): Promise<void> => {
    if (!request.refusal) setAnswer(await call('createRun', { body: request.body, headers: { 'idempotency-key': crypto.randomUUID() } }))
  }
  return (
    <Card
      title="Run it"
      wide
      about={
        offer.kind === 'forbidden'
          ? SPEC_ONLY
          : 'Starts this plan on the control plane, as ironlaw apply does. Nothing is sent before you confirm.'
      }
    >
      <Form form={form} offer={offer} onEdit={(part) => setEdited((before) => ({ ...before, ...part }))} />
      {violated.map((problem) => (
        <p key={problem} className="outside">
          Not started: {problem}. Change the limit or the question.
        </p>
      ))}
      <RefusalBox refusal={request.refusal} />
      <InexactBox
        refusal={request.refusal}
        checked={form.acceptsInexact}
        onChange={(acceptsInexact) => setEdited((before) => ({ ...before, acceptsInexact }))}
      />
      <Offered offer={offer} page="runs">
        <p className="row">
          <ConfirmButton
            really={priceOf(startable)}
            onAgreed={() => void start()}
            disabled={request.refusal !== undefined || violated.length > 0 || !losses || !isComplete(formProblems(form))}
          >
            Start this run
          </ConfirmButton>
          {answer?.ok && (
            <span role="status">
              Started: <a href={runHref(answer.value.id)}>{answer.value.id}</a> is {answer.value.state}.
            </span>
          )}
        </p>
      </Offered>
      {answer && !answer.ok && <Refusal problem={answer} />}
      <SpecText file="train.yaml" text={trainYaml(startable, form)} config={config} />
    </Card>
  )
})

/** What the user is about to confirm. */
function priceOf({ plan: { fleet, prediction } }: StartableSpec): string {
  const { duration_s, cost_usd } = prediction
  const price = cost_usd === undefined ? 'no price known' : show(dollars(cost_usd), 'USD')
  return `Confirm: ${fleet.devices.toLocaleString('en')} × ${fleet.accelerator} for ${show(seconds(duration_s), 's')}, ${price}`
}

type FormProps = { readonly form: RunForm; readonly offer: LaunchOffer; readonly onEdit: (part: EditedFields) => void }

function Form({ form, offer, onEdit }: FormProps): ReactNode {
  const problems = formProblems(form)
  return (
    <div className="launch-form">
      <TextField label="Name" value={form.name} problem={problems.name} onChange={(name) => onEdit({ name })} />
      <TextField
        label="Command of one process"
        value={form.program}
        problem={problems.program}
        hint="The plan's arguments are appended; a first word ending in .py runs under Python"
        onChange={(program) => onEdit({ program })}
      />
      <TextField
        label="Directory on the nodes"
        value={form.directory}
        problem={problems.directory}
        onChange={(directory) => onEdit({ directory })}
      />
      <Select
        label="Framework of the program"
        value={form.framework}
        options={FRAMEWORKS}
        onChange={(id) => onEdit({ framework: FRAMEWORKS.find((each) => each.id === id)?.id ?? 'sdk' })}
      />
      <ProjectField
        projects={launchProjects(offer)}
        value={form.project}
        problem={problems.project}
        onChange={(project) => onEdit({ project })}
      />
    </div>
  )
}
