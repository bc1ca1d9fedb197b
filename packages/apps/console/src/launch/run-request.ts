// The body of `POST /v1/runs` for a plan of the page, and the spec with which `ironlaw apply` would send the same.

import { type IronlawError, planId, type TrainingPlan } from '@ironlaw/contracts'
import type { CreateRun } from '@ironlaw/contracts/api'
import type { TrainSpec } from '@ironlaw/contracts/train-spec'
import { type Framework, plannedProgram, trainingRefusal } from '@ironlaw/exporters'
import { commandWords } from './command-words.ts'
import { yamlText } from './yaml-text.ts'

export type RunForm = {
  readonly name: string
  /** As a shell would read it. */
  readonly program: string
  readonly directory: string
  readonly framework: Framework
  readonly project: string
  readonly acceptsInexact: boolean
}

/** Computed by the planner's worker for a plan that can be started. */
export type StartableSpec = {
  readonly spec: TrainSpec
  readonly plan: TrainingPlan
  /** Whether the plan differs from the one that the spec alone leads to. */
  readonly pinned: boolean
  readonly shape: CreateRun['shape']
}

export type RunRequest = { readonly refusal: IronlawError } | { readonly refusal?: undefined; readonly body: CreateRun }

export function runRequest(startable: StartableSpec, form: RunForm, losses: CreateRun['expected_losses_s']): RunRequest {
  const { plan, shape } = startable
  const { name, project, framework, acceptsInexact } = form
  const named = { ...plan, name }
  const identified = { ...named, id: planId(named) }
  const planned = plannedProgram(identified, { framework, program: commandWords(form.program) })
  const refusal = trainingRefusal(planned, { framework, acceptsInexact })
  if (refusal) return { refusal }
  return {
    body: {
      name,
      project,
      plan: identified,
      program: {
        argv: [...planned.argv],
        directory: form.directory,
        environment: { ...planned.environment },
        ...(Object.keys(planned.files).length > 0 && { files: { ...planned.files } }),
      },
      shape,
      ...(losses && { expected_losses_s: losses }),
      // Without the fields that nobody wrote, as YAML would have it.
      spec: JSON.parse(JSON.stringify(writtenSpec(startable, form))),
    },
  }
}

export const trainYaml = (startable: StartableSpec, form: RunForm): string => yamlText(writtenSpec(startable, form))

function writtenSpec({ spec, plan, pinned }: StartableSpec, form: RunForm) {
  const { precision: _, ...strategy } = plan.decision
  return {
    ...spec,
    name: form.name,
    ...(pinned && { fleet: { ...spec.fleet, count: plan.fleet.devices }, goal: 'time', strategy }),
    run: {
      program: commandWords(form.program),
      directory: form.directory,
      ...(form.framework !== 'sdk' && { framework: form.framework }),
      ...(form.project !== 'default' && { project: form.project }),
    },
  }
}

const NAME_CHARACTERS = 40

/** A valid name for runs and deployments. */
export const slug = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, NAME_CHARACTERS) || 'run'
