// Versions of models: what the registry knows of them.

import { IronlawError } from '@ironlaw/contracts'
import { type KnownFact, type ModelSummary, type ModelView, VERSION_STATES } from '@ironlaw/contracts/model-registry'
import { counted } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { api } from '../api/api-client.ts'
import { shortId, sizeText } from '../artifact/artifacts.ts'
import { context } from '../context/context.ts'
import { paint } from '../paint.ts'
import { showClock, showDuration } from '../run/run-text.ts'
import { table } from '../table.ts'
import { approvalLines, decisionText } from './decide.ts'

type ListFlags = { readonly project?: string; readonly state?: string; readonly limit: string }

export async function modelsAnswer({ project = 'default', state: text, limit }: ListFlags): Promise<CommandAnswer> {
  const state = VERSION_STATES.find((each) => each === text)
  if (text !== undefined && state === undefined)
    throw new IronlawError('IL_USAGE', { problem: `--state ${text}: a version is ${VERSION_STATES.join(', ')}`, command: 'get' })
  const list = await api(context()).listModels({ project, query: { limit: Number(limit), state } })
  const now = Date.now() / 1000
  return {
    json: list,
    text: () =>
      list.items.length === 0
        ? state === undefined
          ? `project ${project} has no models: "ironlaw artifact add DIR --type model" adds one`
          : `project ${project} has no version that is ${state}`
        : modelsTable(list.items, now),
    ...(list.next !== null && { notes: ['there are more; --limit shows up to 1000 at once'] }),
  }
}

const modelsTable = (models: readonly ModelSummary[], now: number): string =>
  table(
    ['VERSION', 'NAME', 'STATE', 'SIZE', 'MADE BY', 'EVALUATIONS', 'AGE', 'LACKS'],
    models.map(({ id, versions, state, uncommitted, bytes, made_by, evaluation_count, created_at, lacks }) => [
      shortId(id),
      versions[0] ?? '',
      stateText(state, uncommitted),
      sizeText(bytes),
      made_by ?? '',
      String(evaluation_count),
      showDuration(now - created_at),
      lacks.join(', '),
    ]),
    [3, 5, 6],
  )

/** Nobody can check out what such a version was made from. */
const stateText = (state: ModelSummary['state'], uncommitted: true | undefined): string =>
  uncommitted ? `${state}, from uncommitted code` : state

export async function describeModel(artifact: string, project: string): Promise<CommandAnswer> {
  const model = await api(context()).getModel({ project, artifact })
  return { json: model, text: () => modelText(model) }
}

export function modelText(model: ModelView): string {
  const {
    id,
    names,
    state,
    uncommitted,
    bytes,
    files,
    created_at,
    created_by,
    known,
    missing,
    evaluations,
    baseline,
    decisions,
    approvals,
  } = model
  return [
    `${paint('bold', [...names, id].join(' '))}  ${stateText(state, uncommitted)}`,
    `${sizeText(bytes)} in ${counted(files, 'file')}, added by ${created_by} at ${showClock(created_at)}`,
    '',
    table(
      ['FACT', 'VALUE', 'FROM'],
      known.map(({ fact, value, from }) => [fact, valueText(value), from]),
    ),
    ...(evaluations.length === 0
      ? []
      : ['', ...evaluations.map((each) => `evaluation ${[...each.names, shortId(each.id)].join(' ')}, at ${showClock(each.created_at)}`)]),
    ...(baseline ? [`baseline ${[...baseline.names, shortId(baseline.id)].join(' ')}, at ${showClock(baseline.created_at)}`] : []),
    ...(decisions.length === 0 ? [] : ['', ...decisions.map(decisionText)]),
    ...(approvals ? ['', ...approvalLines(approvals)] : []),
    ...missingLines(missing),
  ].join('\n')
}

const valueText = (value: KnownFact['value']): string => (typeof value === 'string' ? value : JSON.stringify(value))

function missingLines(missing: ModelView['missing']): readonly string[] {
  if (missing.length === 0) return []
  const rows = missing.map(({ fact, blocks, next }) => [fact, blocks ? 'blocks a release' : '', next])
  return ['', table(['MISSING', '', 'HOW TO STATE IT'], rows)]
}
