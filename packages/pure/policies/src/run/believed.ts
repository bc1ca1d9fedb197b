// What of an attempt's reports is believed. Whoever holds the run's token writes them, the program itself included, so they speak for
// the attempt only: about nodes that the executor placed it on, and about the indices and ranks of its shape.

import type { Attempt, Sighting } from '@ironlaw/contracts'
import type { ObservedExit, ObservedNode } from './observation.ts'

type AttemptReports = { readonly nodes: readonly ObservedNode[]; readonly exits: readonly ObservedExit[] }

export type BelievedReports = AttemptReports & {
  /** How many beats and exits were left out. */
  readonly disbelieved: number
}

/** Undefined while the executor has not shown where the attempt runs. */
export function placedNodes(attempt: Attempt | undefined, job: Sighting): readonly string[] | undefined {
  return attempt?.placed ?? (job.state === 'running' ? job.nodes : undefined)
}

export function believedReports(
  said: AttemptReports,
  {
    attempt,
    processesPerNode,
    placed,
  }: { readonly attempt: Attempt; readonly processesPerNode: number; readonly placed?: readonly string[] },
): BelievedReports {
  const isPlaced = (node: string): boolean => placed?.includes(node) ?? true
  const isOfShape = (rank: number): boolean => rank < attempt.nodes * processesPerNode
  const nodes = said.nodes
    .filter(({ node, index }) => index < attempt.nodes && isPlaced(node))
    .map((node) => ({ ...node, ranks: node.ranks.filter(({ rank }) => Math.floor(rank / processesPerNode) === node.index) }))
  const exits = said.exits.filter(({ node, rank }) => isOfShape(rank) && isPlaced(node))
  return { nodes, exits, disbelieved: said.nodes.length - nodes.length + said.exits.length - exits.length }
}
