// Events of the audit trail as RunEvents of OpenLineage 2-0-2 (https://openlineage.io/spec/2-0-2/OpenLineage.json).

import { hash } from 'node:crypto'
import { pathToFileURL } from 'node:url'
import type { TerminalState } from '@ironlaw/contracts'
import type { Event, FeedCursor, LineageArtifact, RunLineage } from '@ironlaw/store'

type Facet = { readonly _producer: string; readonly _schemaURL: string }

type Dataset = {
  readonly namespace: string
  readonly name: string
  readonly facets: {
    readonly version: Facet & { readonly datasetVersion: string }
    readonly ironlaw_artifact: Facet & Pick<LineageArtifact, 'type' | 'bytes' | 'files'>
  }
}

type EventType = 'START' | 'RUNNING' | 'COMPLETE' | 'FAIL' | 'ABORT' | 'OTHER'

export type RunEvent = {
  readonly eventType: EventType
  readonly eventTime: string
  readonly producer: string
  readonly schemaURL: string
  readonly run: {
    readonly runId: string
    readonly facets: { readonly ironlaw_plan: Facet & { readonly run: string; readonly plan: string } }
  }
  readonly job: { readonly namespace: string; readonly name: string }
  readonly inputs: readonly Dataset[]
  readonly outputs: readonly Dataset[]
}

const PRODUCER = 'urn:ironlaw:control-plane'
const SPEC = 'https://openlineage.io/spec/2-0-2/OpenLineage.json'
const VERSION_FACET = 'https://openlineage.io/spec/facets/1-0-1/DatasetVersionDatasetFacet.json#/$defs/DatasetVersionDatasetFacet'

/** Of inputs and of outputs: some half a megabyte, which every receiver takes. What is beyond follows in events of its own. */
const MOST_DATASETS = 500

const ENDS: Readonly<Record<`run-${TerminalState}`, EventType>> = {
  'run-succeeded': 'COMPLETE',
  'run-failed': 'FAIL',
  'run-cancelled': 'ABORT',
}

const STARTED = 'attempt-started'
const MADE: ReadonlySet<string> = new Set(['artifact-registered', 'artifact-made'])

const isEnd = (kind: string): kind is keyof typeof ENDS => Object.hasOwn(ENDS, kind)

export type TrailEvent = Pick<Event, 'stream' | 'sequence' | 'at' | 'kind' | 'body' | keyof FeedCursor>

/** The run that an event is about, if it may say anything of lineage. */
export function runOfEvent({ stream, kind, body }: TrailEvent): string | undefined {
  if (stream.startsWith('run/') && (kind === STARTED || isEnd(kind))) return stream.slice('run/'.length)
  return stream.startsWith('artifacts/') && MADE.has(kind) && typeof body['run'] === 'string' ? body['run'] : undefined
}

/** `namespace` is that of datasets. A run starts once, at its first attempt or right before an end without any; later attempts are RUNNING. */
export function runEvents(event: TrailEvent, lineage: RunLineage, namespace: string): readonly RunEvent[] {
  const { used, made, ended } = lineage
  const tell = (eventType: EventType, outputs: readonly LineageArtifact[]): readonly RunEvent[] =>
    inParts(eventType, used, outputs).map((part) => runEvent(event, { lineage, namespace, ...part }))
  const isFirst = event.sequence === lineage.began
  if (event.kind === STARTED) return tell(isFirst ? 'START' : 'RUNNING', [])
  if (isEnd(event.kind)) return [...(isFirst ? tell('START', []) : []), ...tell(ENDS[event.kind], made)]
  // What a run makes before its end is told at its end.
  const late = ended && isBefore(ended, event) ? made.filter(({ id }) => id === event.body['artifact']) : []
  return late.length === 0 ? [] : tell('OTHER', late)
}

function isBefore(one: FeedCursor, other: FeedCursor): boolean {
  const [first, second] = [BigInt(one.transaction_id), BigInt(other.transaction_id)]
  return first === second ? one.feed < other.feed : first < second
}

type Part = { readonly eventType: EventType; readonly used: readonly LineageArtifact[]; readonly made: readonly LineageArtifact[] }

function inParts(eventType: EventType, used: readonly LineageArtifact[], made: readonly LineageArtifact[]): readonly Part[] {
  const parts = Math.max(1, Math.ceil(Math.max(used.length, made.length) / MOST_DATASETS))
  return Array.from({ length: parts }, (_, index) => {
    const [from, to] = [index * MOST_DATASETS, (index + 1) * MOST_DATASETS]
    return { eventType: index === 0 ? eventType : 'OTHER', used: used.slice(from, to), made: made.slice(from, to) }
  })
}

type Telling = Part & { readonly lineage: RunLineage; readonly namespace: string }

function runEvent({ at }: TrailEvent, { eventType, used, made, lineage: { run }, namespace }: Telling): RunEvent {
  const dataset = (artifact: LineageArtifact): Dataset => datasetOf(artifact, namespace, run.project)
  return {
    eventType,
    eventTime: new Date(at * 1000).toISOString(),
    producer: PRODUCER,
    schemaURL: `${SPEC}#/$defs/RunEvent`,
    run: { runId: runIdOf(run.id), facets: { ironlaw_plan: { ...ownFacet('RunFacet'), run: run.id, plan: run.plan_id } } },
    job: { namespace: run.project, name: run.name },
    inputs: used.map(dataset),
    outputs: made.map(dataset),
  }
}

/** Projects share the storage and not their names. */
const datasetOf = ({ id, name, type, bytes, files }: LineageArtifact, namespace: string, project: string): Dataset => ({
  namespace,
  name: `${project}/${name ?? id}`,
  facets: {
    version: { _producer: PRODUCER, _schemaURL: VERSION_FACET, datasetVersion: id },
    ironlaw_artifact: { ...ownFacet('DatasetFacet'), type, bytes, files },
  },
})

const ownFacet = (base: 'RunFacet' | 'DatasetFacet'): Facet => ({ _producer: PRODUCER, _schemaURL: `${SPEC}#/$defs/${base}` })

/** A UUID of version 8 (RFC 9562), the same for a run wherever and whenever it is computed. */
export function runIdOf(run: string): string {
  const digest = hash('sha256', `ironlaw run ${run}`)
  const variant = ((Number.parseInt(digest.slice(16, 17), 16) & 0x3) | 0x8).toString(16)
  return [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`, variant + digest.slice(17, 20), digest.slice(20, 32)].join(
    '-',
  )
}

/** The storage's address without what may be secret in it. */
export function datasetNamespace(storage: string): string {
  if (!URL.canParse(storage)) return pathToFileURL(storage).href
  const { protocol, host, pathname } = new URL(storage)
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`
}
