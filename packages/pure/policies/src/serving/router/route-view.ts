// A router picks the replica for a request: a function of what is known of the replicas and of the request. Whatever it must remember
// (whose turn it was) or draw (two choices) comes in with the call, so that one seed gives one day in the simulator.

import type { ReplicaLoad, RoutedRequest } from '../replica-load.ts'

export type RouteView = {
  readonly replicas: readonly ReplicaLoad[]
  readonly request: RoutedRequest
  /** Tokens of this prompt thought cached, by replica; empty when there is no index. */
  readonly cachedTokens: ArrayLike<number>
  /** Counts the requests routed. */
  readonly turn: number
  /** Uniform in [0, 1). */
  readonly draw: () => number
}

/** Index of the replica, or -1 when none is ready. */
export type Router = (view: RouteView) => number
