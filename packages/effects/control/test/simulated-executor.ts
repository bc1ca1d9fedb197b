// An executor whose every call is an effect: the request or its answer may be lost, late, or the request arrive twice.

import type { Executor, Unreachable } from '@ironlaw/executors'
import type { Effects, Process } from './effects.ts'

export function simulatedExecutor(
  inner: Executor,
  { effects, process }: { readonly effects: Effects; readonly process: Process },
): Executor {
  const ask = <T>(what: string, act: () => Promise<T | Unreachable>): Promise<T | Unreachable> =>
    effects.call({ process, what }, act, () => ({ answer: 'unreachable', reason: 'the request or its answer was lost' }))
  return {
    submit: (job) => ask(`submit ${job.key}`, () => inner.submit(job)),
    sightings: (keys) => ask(`sightings ${keys.join(' ')}`, () => inner.sightings(keys)),
    cancel: (key) => ask(`cancel ${key}`, () => inner.cancel(key)),
    release: (key, nodes) => ask(`release ${nodes.join(' ')} of ${key}`, () => inner.release(key, nodes)),
    capacity: () => ask('capacity', () => inner.capacity()),
    drain: (node, reason) => ask(`drain ${node}`, () => inner.drain(node, reason)),
    undrain: (node) => ask(`undrain ${node}`, () => inner.undrain(node)),
  }
}
