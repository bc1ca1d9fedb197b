// One input through a target, and what is wrong with how it went.

import type { Coverage } from './coverage.ts'
import { type Target, TIME_LIMIT_MS } from './target.ts'

export type FaultKind =
  /** The parser threw what it does not declare. */
  | 'throw'
  /** It took longer than the limit, several times over. */
  | 'slow'
  /** The process had to be ended, because it did not come back. */
  | 'hang'
  /** The process ended by itself: memory, or a native stack. */
  | 'exit'
  /** Memory that is not given back grew while it ran. */
  | 'growth'

export type Judgement = {
  readonly kind: FaultKind
  /** Equal for faults that are likely one. */ readonly key: string
  readonly message: string
}

export type Execution = { readonly input: Uint8Array; readonly target: Target; readonly coverage: Coverage }

/** A busy machine makes anything slow once; the least of a few turns, by the thread's own time, is the parser's. */
const TURNS = 4

export async function execute(execution: Execution): Promise<Judgement | undefined> {
  const limit_ms = execution.target.limit_ms ?? TIME_LIMIT_MS
  const first = await once(execution)
  if (first.fault || first.took_ms <= limit_ms) return first.fault
  let least = first.took_ms
  for (let turn = 1; turn < TURNS && least > limit_ms; turn += 1) least = Math.min(least, (await once(execution)).took_ms)
  if (least <= limit_ms) return undefined
  return { kind: 'slow', key: 'slow', message: `${least.toFixed(0)} ms for ${execution.input.length} bytes, allowed are ${limit_ms}` }
}

type Turn = { readonly took_ms: number; readonly fault: Judgement | undefined }

async function once({ input, target, coverage }: Execution): Promise<Turn> {
  coverage.reset()
  const began = performance.now()
  const cpu = process.threadCpuUsage()
  try {
    const pending = target.run(Buffer.from(input), coverage.mark)
    // What waits for another process is timed by this thread's work too: how long others take depends on the machine.
    if (pending) await pending
  } catch (cause) {
    return { took_ms: 0, fault: thrownFault(cause) }
  }
  if (performance.now() - began <= (target.limit_ms ?? TIME_LIMIT_MS)) return { took_ms: 0, fault: undefined }
  const { user, system } = process.threadCpuUsage(cpu)
  return { took_ms: (user + system) / 1000, fault: undefined }
}

function thrownFault(cause: unknown): Judgement {
  if (!(cause instanceof Error)) return { kind: 'throw', key: 'not-an-error', message: String(cause) }
  const frames = (cause.stack ?? '').split('\n').flatMap((line) => /^\s+at (?:async )?([^\s(]+)/.exec(line)?.[1] ?? [])
  const place = frames.find((frame) => !/^(?:JSON|Object|Array|node:|new|file:)/.test(frame)) ?? ''
  // Messages of JSON.parse quote the input.
  const words = cause instanceof SyntaxError ? '' : cause.message.replaceAll(/"[^"]*"|'[^']*'|\d+/g, '_').slice(0, 60)
  return {
    kind: 'throw',
    key: `${cause.name} ${words} ${place}`,
    message: `${cause.name}: ${cause.message.slice(0, 300)} in ${frames.slice(0, 5).join(' < ')}`,
  }
}
