// What a run does when nodes are gone: take spares, continue with fewer nodes, or wait.

export type NodeShortage = {
  /** Nodes that the run needs for its full size, and those it lacks. */
  readonly needed: number
  readonly missing: number
  readonly spares: number
}

export type ElasticRule = {
  /** Nodes that leave or join together: those of one data-parallel replica. */
  readonly unit: number
  /** Fewest nodes the run may continue with. */
  readonly least: number
}

export type FailureResponse =
  | { readonly kind: 'restart' }
  | { readonly kind: 'swap'; readonly take: number }
  | { readonly kind: 'shrink'; readonly take: number }
  | { readonly kind: 'wait' }

export function afterFailure({ needed, missing, spares }: NodeShortage, elastic?: ElasticRule): FailureResponse {
  if (missing === 0) return { kind: 'restart' }
  if (spares >= missing) return { kind: 'swap', take: missing }
  return elastic && usableNodes(needed - missing + spares, elastic) >= Math.max(1, elastic.least)
    ? { kind: 'shrink', take: spares }
    : { kind: 'wait' }
}

/** Nodes that can work when some are missing: whole units only. */
export const usableNodes = (present: number, { unit }: ElasticRule): number => Math.floor(present / unit) * unit
