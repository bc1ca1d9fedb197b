// Where the nodes of a lineage go: what came before to the left, what came after to the right, each as near as its neighbours allow.

import type { ArtifactTrace } from '@ironlaw/contracts/artifact-operations'

export type LineageNode = {
  readonly id: string
  readonly kind: 'artifact' | 'run' | 'deployment'
  readonly title: string
  readonly about: string
  readonly column: number
  readonly row: number
}

type LineageEdge = { readonly from: string; readonly to: string }

export type Lineage = {
  readonly nodes: readonly LineageNode[]
  readonly edges: readonly LineageEdge[]
  readonly columns: number
  readonly rows: number
  /** Left out because a picture cannot show them. */
  readonly hidden: number
}

/** Nodes that can be told apart in a picture. */
const MOST_NODES = 60

type Named = Pick<LineageNode, 'id' | 'kind' | 'title' | 'about'>

/** What belongs to the picture and is linked by other things than runs. */
export type Beyond = { readonly nodes: readonly Named[]; readonly edges: readonly LineageEdge[]; readonly hidden: number }

const NOTHING: Beyond = { nodes: [], edges: [], hidden: 0 }

const shortId = (id: string): string => id.slice(0, 'art-'.length + 12)

function namedNodes(traces: readonly ArtifactTrace[]): ReadonlyMap<string, Named> {
  const artifacts = traces.flatMap((trace) => trace.artifacts)
  const runs = traces.flatMap((trace) => trace.runs)
  return new Map<string, Named>([
    ...artifacts.map(({ id, type, names, removed_at }): [string, Named] => [
      id,
      { id, kind: 'artifact', title: names[0] ?? shortId(id), about: removed_at === undefined ? type : `${type}, content deleted` },
    ]),
    ...runs.map(({ id, name, state }): [string, Named] => [id, { id, kind: 'run', title: name, about: `run, ${state}` }]),
  ])
}

/** A run is behind what it used, an artifact behind the run that made it. */
const edgesOf = (traces: readonly ArtifactTrace[]): readonly LineageEdge[] => {
  const edges = traces.flatMap((trace) =>
    trace.edges.map(({ run, artifact, how }) => (how === 'used' ? { from: artifact, to: run } : { from: run, to: artifact })),
  )
  return [...new Map(edges.map((edge) => [`${edge.from} ${edge.to}`, edge])).values()]
}

export function lineageLayout(traces: readonly ArtifactTrace[], beyond: Beyond = NOTHING): Lineage {
  const named = new Map([...beyond.nodes.map((node) => [node.id, node] as const), ...namedNodes(traces)])
  const centre = traces[0]?.from ?? ''
  const all = [...edgesOf(traces), ...beyond.edges].filter(({ from, to }) => named.has(from) && named.has(to))
  const shown = nearest(centre, all, MOST_NODES)
  const edges = all.filter(({ from, to }) => shown.has(from) && shown.has(to))
  const columns = columnsOf([...shown], edges)
  const rows = new Map<number, number>()
  const nodes = [...shown].flatMap((id): LineageNode[] => {
    const node = named.get(id)
    if (!node) return []
    const column = columns.get(id) ?? 0
    const row = rows.get(column) ?? 0
    rows.set(column, row + 1)
    return [{ ...node, column, row }]
  })
  return {
    nodes,
    edges,
    columns: Math.max(0, ...columns.values()) + 1,
    rows: Math.max(1, ...rows.values()),
    hidden: named.size - nodes.length + beyond.hidden,
  }
}

/** The nodes around one, those with fewer edges between first. */
function nearest(centre: string, edges: readonly LineageEdge[], most: number): ReadonlySet<string> {
  const beside = new Map<string, string[]>()
  const link = (a: string, b: string): void => {
    beside.set(a, [...(beside.get(a) ?? []), b])
  }
  for (const { from, to } of edges) {
    link(from, to)
    link(to, from)
  }
  const found = new Set([centre])
  for (const id of found) {
    for (const next of beside.get(id) ?? []) if (found.size < most) found.add(next)
  }
  return found
}

/** The longest way from a beginning. An edge that closes a circle, as when a run used what it made, is not followed. */
function columnsOf(ids: readonly string[], edges: readonly LineageEdge[]): ReadonlyMap<string, number> {
  const before = new Map<string, string[]>()
  for (const { from, to } of edges) before.set(to, [...(before.get(to) ?? []), from])
  const columns = new Map<string, number>()
  const open = new Set<string>()
  const column = (id: string): number => {
    const known = columns.get(id)
    if (known !== undefined) return known
    if (open.has(id)) return -1
    open.add(id)
    const value = Math.max(-1, ...(before.get(id) ?? []).map(column)) + 1
    open.delete(id)
    columns.set(id, value)
    return value
  }
  for (const id of ids) column(id)
  return columns
}
