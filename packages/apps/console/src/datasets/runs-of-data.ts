// Runs that used an artifact, and the steps of each that saw a document of it.

import type { RunView } from '@ironlaw/contracts/api'
import { foldersWith } from '@ironlaw/contracts/artifact'
import { DATA_ORDER_FILE, type DataOrder, parseDataOrder } from '@ironlaw/contracts/data-order'
import { dataOrder, stepsThatSaw } from '@ironlaw/data'
import { type ApiResult, call } from '../runs/api.ts'
import { type ArtifactPlace, readJson, refused } from './artifact-files.ts'

export type RunOfData = {
  readonly run: RunView
  /** Samples of a step; undefined where the plan is not one of training. */
  readonly batch: number | undefined
}

export type RunsOfData = { readonly runs: readonly RunOfData[]; readonly more: number }

/** Each costs some calls; older ones are left out. */
const MOST_RUNS = 20

/** Newest first. */
export async function runsThatUsed({ project, artifact }: ArtifactPlace): Promise<ApiResult<RunsOfData>> {
  const trace = await call('traceArtifact', { project, artifact, query: { direction: 'down' } })
  if (!trace.ok) return trace
  const users = new Set(trace.value.edges.filter((edge) => edge.how === 'used' && edge.artifact === artifact).map(({ run }) => run))
  const newest = trace.value.runs.filter(({ id }) => users.has(id)).toSorted((a, b) => b.created_at - a.created_at)
  const answers = await Promise.all(newest.slice(0, MOST_RUNS).map(({ id }) => call('getRun', { id })))
  const runs = answers.flatMap((answer) => (answer.ok ? [answer.value] : []))
  const batches = await Promise.all(runs.map(({ plan }) => batchOf(plan)))
  return {
    ok: true,
    value: { runs: runs.map((run, at) => ({ run, batch: batches[at] })), more: newest.length - runs.length },
  }
}

async function batchOf(plan: string): Promise<number | undefined> {
  const answer = await call('getPlan', { id: plan })
  const batch = answer.ok ? answer.value.body['globalBatch'] : undefined
  return typeof batch === 'number' ? batch : undefined
}

export type Sighting = {
  readonly run: RunView
  /** What the order of the run calls the dataset. */
  readonly source: string
  readonly steps: readonly number[]
}

/** A run of which the steps cannot be told, and why. */
export type Unknown = { readonly run: RunView; readonly why: string }

export type Sightings = { readonly seen: readonly Sighting[]; readonly unknown: readonly Unknown[]; readonly more: number }

export type SightingQuestion = ArtifactPlace & {
  /** Digest of the token dataset. */
  readonly digest: string
  readonly samples: { readonly first: number; readonly end: number }
}

export async function sightingsOf({ digest, samples, ...place }: SightingQuestion): Promise<ApiResult<Sightings>> {
  const used = await runsThatUsed(place)
  if (!used.ok) return used
  const orders = orderReader(place.project)
  const seen: Sighting[] = []
  const unknown: Unknown[] = []
  for (const { run, batch } of used.value.runs) {
    const order = await orders(run)
    if (!order.ok) unknown.push({ run, why: order.title })
    else if (batch === undefined) unknown.push({ run, why: 'Its plan is not one of training' })
    else
      for (const { name } of order.value.sources.filter((source) => source.digest === digest)) {
        const query = { source: name, samples, batch, until: (run.step ?? 0) * batch }
        seen.push({ run, source: name, steps: stepsThatSaw(dataOrder(order.value), query) })
      }
  }
  return { ok: true, value: { seen, unknown, more: used.value.more } }
}

/** Runs of one dataset mostly use the same artifacts, so each is read once. */
function orderReader(project: string): (run: RunView) => Promise<ApiResult<DataOrder>> {
  const known = new Map<string, Promise<readonly ApiResult<DataOrder>[]>>()
  const ordersIn = async (artifact: string): Promise<readonly ApiResult<DataOrder>[]> => {
    const manifest = await call('getArtifactManifest', { project, artifact })
    if (!manifest.ok) return [manifest]
    const folders = foldersWith(manifest.value.files, DATA_ORDER_FILE)
    return Promise.all(folders.map((folder) => readJson({ project, artifact, path: `${folder}${DATA_ORDER_FILE}` }, parseDataOrder)))
  }
  return async ({ uses }) => {
    const found = await Promise.all(
      [...new Set(uses)].map((artifact) => {
        const orders = known.get(artifact) ?? ordersIn(artifact)
        known.set(artifact, orders)
        return orders
      }),
    )
    const orders = found.flat().filter(({ ok }) => ok)
    const [order, ...others] = orders
    if (order && others.length === 0) return order
    return refused(order ? 'It uses more than one data order' : 'It uses no data order as an artifact', '')
  }
}
