// The less busy of two drawn at random (Mitzenmacher 2001): the longest queue falls from log n / log log n to log log n, and a view
// that is a little old does not send everybody to the same place.

import { outstanding_s } from '../replica-load.ts'
import { roundRobin } from './round-robin.ts'
import type { RouteView } from './route-view.ts'

/** Draws before looking at all of them in turn: most replicas are ready most of the time. */
const DRAWS = 4

export function twoChoices(view: RouteView): number {
  const first = drawReplica(view, -1)
  if (first === -1) return roundRobin(view)
  const second = drawReplica(view, first)
  const one = view.replicas[first]
  const other = view.replicas[second]
  return one && other && isBusier(one, other) ? second : first
}

function drawReplica({ replicas, draw }: RouteView, other: number): number {
  for (let attempt = 0; attempt < DRAWS; attempt += 1) {
    const index = Math.floor(draw() * replicas.length)
    if (index !== other && replicas[index]?.ready) return index
  }
  return -1
}

function isBusier(one: RouteView['replicas'][number], other: RouteView['replicas'][number]): boolean {
  const difference = outstanding_s(one) - outstanding_s(other)
  return difference > 0 || (difference === 0 && one.running > other.running)
}
