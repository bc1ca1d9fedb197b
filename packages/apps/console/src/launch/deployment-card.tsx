// Deploys the selected plan. For an existing deployment, the changes are shown first, as computed by the control plane.

import type { CreateDeployment, DeploymentChanged } from '@ironlaw/contracts/deployment-api'
import { dollars, show } from '@ironlaw/units'
import { memo, type ReactNode, useState } from 'react'
import { deploymentHref } from '../places.ts'
import { type ApiResult, call, type Problem } from '../runs/api.ts'
import { useProject } from '../shell/use-projects.ts'
import { ConfirmButton } from '../ui/ask-first.tsx'
import { Card } from '../ui/card.tsx'
import { Select } from '../ui/fields.tsx'
import { ProjectField } from '../ui/project-field.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { TextField } from '../ui/text-field.tsx'
import { type DeployableSpec, type DeploymentForm, deploymentRequest, ENGINES, serveYaml } from './deployment-request.ts'
import { formProblems, isComplete } from './form-problems.ts'
import { InexactBox, Offered, RefusalBox, SPEC_ONLY } from './launch-parts.tsx'
import { slug } from './run-request.ts'
import { SpecText } from './spec-text.tsx'
import { firstProject, type LaunchOffer, launchProjects, useLaunchOffer } from './use-launch-offer.ts'

const ENGINE_NAMES = { vllm: 'vLLM', sglang: 'SGLang', llamacpp: 'llama.cpp', other: 'another program, as written' } as const
const ENGINE_OPTIONS = ENGINES.map((id) => ({ id, name: ENGINE_NAMES[id] }))

const PROGRAMS = {
  vllm: 'python3 -m ironlaw.replica -- vllm serve models/chat --served-model-name chat',
  sglang: 'python3 -m ironlaw.replica -- python3 -m sglang.launch_server --model-path models/chat --served-model-name chat',
  llamacpp: 'python3 -m ironlaw.replica -- llama-server --model models/chat.gguf --alias chat',
  other: 'ironlaw engine --model models/chat',
} as const

export type DeploymentCardProps = { readonly deployable: DeployableSpec; readonly config: string }

type EditedFields = Partial<DeploymentForm>

function formOf({ spec, plan }: DeployableSpec, project: string, edited: EditedFields): DeploymentForm {
  const engine = edited.engine ?? ENGINES.find((each) => each === plan.engine) ?? 'other'
  return {
    name: slug(spec.name),
    program: PROGRAMS[engine],
    directory: '/path/to/project',
    model: 'chat',
    project,
    acceptsInexact: false,
    ...edited,
    engine,
  }
}

export const DeploymentCard = memo(({ deployable, config }: DeploymentCardProps): ReactNode => {
  const [edited, setEdited] = useState<EditedFields>({})
  const edit = (part: EditedFields): void => setEdited((before) => ({ ...before, ...part }))
  const offer = useLaunchOffer('createDeployment')
  const form = formOf(deployable, firstProject(launchProjects(offer), useProject()), edited)
  const request = deploymentRequest(deployable, form)
  const complete = isComplete(formProblems(form)) && form.model !== ''
  return (
    <Card
      title="Deploy it"
      wide
      about={offer.kind === 'forbidden' ? SPEC_ONLY : 'Serves this plan, as ironlaw apply does. Nothing changes before you confirm.'}
    >
      <Form form={form} offer={offer} onEdit={edit} />
      <RefusalBox refusal={request.refusal} />
      <InexactBox refusal={request.refusal} checked={form.acceptsInexact} onChange={(acceptsInexact) => edit({ acceptsInexact })} />
      {!request.refusal &&
        request.requires.map((each) => (
          <p key={each} className="outside">
            Required: {each}
          </p>
        ))}
      <Offered offer={offer} page="deployments">
        <Deploying key={JSON.stringify(request.refusal ?? request.body)} deployable={deployable} request={complete ? request : undefined} />
      </Offered>
      <SpecText file="serve.yaml" text={serveYaml(deployable, form)} config={config} />
    </Card>
  )
})

type Request = ReturnType<typeof deploymentRequest>

type ChangePreview =
  | { readonly kind: 'new' }
  | { readonly kind: 'change'; readonly change: DeploymentChanged }
  | { readonly kind: 'refused'; readonly problem: Problem }
  | { readonly kind: 'done'; readonly name: string }

function Deploying({ deployable, request }: { readonly deployable: DeployableSpec; readonly request: Request | undefined }): ReactNode {
  const [shown, setShown] = useState<ChangePreview>()
  const ready = request && !request.refusal ? request : undefined
  const body = ready?.body
  const previewChanges = async (): Promise<void> => {
    if (body) setShown(await fetchPreview(body))
  }
  const sendRequest = async (send: () => Promise<ApiResult<unknown>>): Promise<void> => {
    if (!ready) return
    const kept = await call('storePlan', { query: { project: ready.body.project }, body: ready.plan })
    const answer = kept.ok ? await send() : kept
    setShown(answer.ok ? { kind: 'done', name: body?.name ?? '' } : { kind: 'refused', problem: answer })
  }
  return (
    <>
      <p className="row">
        <button type="button" className="button" disabled={!body} onClick={() => void previewChanges()}>
          Check what would change
        </button>
        {body && shown?.kind === 'new' && (
          <ConfirmButton really={priceOf(deployable)} onAgreed={() => void sendRequest(() => call('createDeployment', { body }))}>
            Create the deployment
          </ConfirmButton>
        )}
        {body && shown?.kind === 'change' && shown.change.changes.length > 0 && (
          <ConfirmButton
            really={`Confirm: change ${body.name}`}
            onAgreed={() =>
              void sendRequest(() => call('changeDeployment', { ...changeOf(body), headers: { 'if-match': `"${shown.change.etag}"` } }))
            }
          >
            Change the deployment
          </ConfirmButton>
        )}
        {shown?.kind === 'done' && (
          <span role="status">
            Done: <a href={deploymentHref(shown.name)}>{shown.name}</a>
          </span>
        )}
      </p>
      {shown?.kind === 'refused' && <Refusal problem={shown.problem} />}
      {shown?.kind === 'new' && body && (
        <p role="status">
          There is no deployment "{body.name}" yet. It would start {body.spec.replicas} {body.spec.replicas === 1 ? 'replica' : 'replicas'}.
        </p>
      )}
      {shown?.kind === 'change' && <Changes change={shown.change} />}
    </>
  )
}

const NOT_FOUND = 404

const changeOf = ({ name, spec, revision }: CreateDeployment) => ({ name, body: { spec, revision } })

async function fetchPreview(body: CreateDeployment): Promise<ChangePreview> {
  const living = await call('getDeployment', { name: body.name })
  if (!living.ok) return living.status === NOT_FOUND ? { kind: 'new' } : { kind: 'refused', problem: living }
  const change = await call('changeDeployment', { ...changeOf(body), query: { dry_run: 'true' } })
  return change.ok ? { kind: 'change', change: change.value } : { kind: 'refused', problem: change }
}

/** What the user is about to confirm. */
function priceOf({ plan: { devices, accelerator, prediction } }: DeployableSpec): string {
  const hourly = prediction.usd_per_hour === undefined ? 'no price known' : `${show(dollars(prediction.usd_per_hour), 'USD')} per hour`
  return `Confirm: ${devices.toLocaleString('en')} × ${accelerator}, ${hourly}`
}

const Changes = ({ change: { changes, revision } }: { readonly change: DeploymentChanged }): ReactNode =>
  changes.length === 0 ? (
    <p role="status">The deployment already matches: nothing to change.</p>
  ) : (
    <>
      <p role="status">
        {changes.length} {changes.length === 1 ? 'field changes' : 'fields change'}
        {revision === undefined ? '.' : `; revision ${revision} is rolled out as a canary.`}
      </p>
      <ul className="plain-list">
        {changes.map(({ path, now, next }) => (
          <li key={path}>
            <code>{path}</code>: {now === undefined ? 'default' : String(now)} → {next === undefined ? 'default' : String(next)}
          </li>
        ))}
      </ul>
    </>
  )

type FormProps = { readonly form: DeploymentForm; readonly offer: LaunchOffer; readonly onEdit: (part: EditedFields) => void }

function Form({ form, offer, onEdit }: FormProps): ReactNode {
  const problems = formProblems(form)
  return (
    <div className="launch-form">
      <TextField label="Name" value={form.name} problem={problems.name} onChange={(name) => onEdit({ name })} />
      <Select
        label="Engine"
        value={form.engine}
        options={ENGINE_OPTIONS}
        onChange={(id) => onEdit({ engine: ENGINES.find((each) => each === id) ?? 'other' })}
      />
      <TextField
        label="Command of one replica"
        value={form.program}
        problem={problems.program}
        hint="The plan's flags are appended"
        onChange={(program) => onEdit({ program })}
      />
      <TextField
        label="Directory on the nodes"
        value={form.directory}
        problem={problems.directory}
        onChange={(directory) => onEdit({ directory })}
      />
      <TextField
        label="Model name at the engine"
        value={form.model}
        problem={form.model === '' ? 'The name that the engine serves' : ''}
        hint="Requests are sent to the engine under this name"
        onChange={(model) => onEdit({ model })}
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
