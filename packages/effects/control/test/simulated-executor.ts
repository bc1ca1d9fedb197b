// An executor whose every call is an effect: the request or its answer may be lost, or the request arrive twice.

import type { Executor, Unreachable } from '@ironlaw/executors'
import type { Effects, Process } from './effects.ts'

export function simulatedExecutor(
  inner: Executor,
  { effects, process }: { readonly effects: Effects; readonly process: Process },
): Executor {
  const ask = async <T>(what: string, act: () => Promise<T | Unreachable>): Promise<T | Unreachable> => {
    const passage = await effects.enter(process, what)
    try {
      if (passage.isLost('before')) return { answer: 'unreachable', reason: 'the request was lost' }
      if (passage.verdict === 'twice') await act()
      const answer = await act()
      return passage.isLost('after') ? { answer: 'unreachable', reason: 'the answer was lost' } : answer
    } finally {
      passage.leave()
    }
  }
  return {
    kind: inner.kind,
    submit: (job) => ask(`submit ${job.key}`, () => inner.submit(job)),
    sightings: (keys) => ask(`sightings ${keys.join(' ')}`, () => inner.sightings(keys)),
    cancel: (key) => ask(`cancel ${key}`, () => inner.cancel(key)),
    capacity: () => ask('capacity', () => inner.capacity()),
    drain: (node, reason) => ask(`drain ${node}`, () => inner.drain(node, reason)),
    undrain: (node) => ask(`undrain ${node}`, () => inner.undrain(node)),
  }
}
