// Replicas of an engine that "ironlaw calibrate engine" measured, for `ironlaw simulate serve --engine`.

import { IronlawError } from '@ironlaw/contracts'
import { type Arrivals, measuredReplica, type Trace } from '@ironlaw/simulator/serving'
import { findEngine, type NamedEngine, originOf, sharingOf } from '../calibrate/engine-source.ts'
import { paint } from '../paint.ts'
import { wholeNumber } from '../whole-number.ts'
import type { SimulateServeFlags } from './simulate-serve-flags.ts'
import { COMMAND, type ServingScenario } from './simulate-serve-replica.ts'

export type EngineScenario = { readonly id: string; readonly file: string | undefined; readonly trace: Trace | undefined }

export function engineScenario({ id, file, trace }: EngineScenario, flags: SimulateServeFlags): ServingScenario {
  refuseOtherSources(file, flags)
  const named = findEngine({ flag: '--engine', id, command: COMMAND })
  const replicas = wholeNumber('--replicas', flags.replicas ?? '1')
  const oneMachine = flags.oneMachine === true
  const { entry, version, engine } = named
  const { slots, context_tokens, coldStart_s } = engine
  const most = Math.max(replicas, wholeNumber('--autoscale', flags.autoscale ?? '1'))
  const { hashTokens = 0 } = trace ?? {}
  const where = oneMachine ? 'on one machine' : 'on a machine each'
  return {
    title: `${paint('bold', id)}, ${replicas} ${replicas === 1 ? 'replica' : `replicas ${where}`}`,
    note: `as measured on ${originOf(entry)} (version ${version}): ${slots} answers at a time, ${context_tokens} tokens of context`,
    json: { engine: id, version, measured: originOf(entry), slots, context_tokens, replicas, one_machine: oneMachine },
    base: {
      replica: { ...measuredReplica(engine), ...(hashTokens > 0 && { prefixTokens: hashTokens }) },
      replicas,
      ...(oneMachine && { sharing: sharingOf(named, most, COMMAND) }),
    },
    coldStart_s,
    limited: (arrivals) => clipToContext(named, arrivals, trace),
  }
}

/** Flags that describe replicas by a plan or a data sheet. */
function refuseOtherSources(file: string | undefined, { model, on, tensor, precision, with: entries }: SimulateServeFlags): void {
  const others = [
    ['a file', file !== undefined],
    ['--model', model !== undefined],
    ['--on', on !== undefined],
    ['--tensor', tensor !== '1'],
    ['--precision', precision !== 'bf16'],
    ['--with', entries !== undefined],
  ] as const
  const given = others.flatMap(([name, isGiven]) => (isGiven ? [name] : []))
  if (given.length > 0)
    throw new IronlawError('IL_USAGE', {
      problem: `--engine simulates a measured replica; leave out ${given.join(', ')}`,
      command: COMMAND,
    })
}

/** Like the engine, cuts an answer off at the context limit. A prompt that the engine would refuse is not part of its traffic. */
function clipToContext({ id, engine }: NamedEngine, arrivals: Arrivals, trace: Trace | undefined): Arrivals {
  const { context_tokens } = engine
  const tooLong = trace?.prompt.filter((prompt) => prompt >= context_tokens).length ?? 0
  if (tooLong > 0)
    throw new IronlawError('IL_USAGE', {
      problem: `${tooLong} of ${trace?.count} prompts of the trace do not fit into the ${context_tokens} tokens that ${id} was measured with; "ironlaw calibrate engine --context N" measures more`,
      command: COMMAND,
    })
  return (into) => {
    if (!arrivals(into)) return false
    into.prompt = Math.min(into.prompt, context_tokens - 1)
    into.output = Math.min(into.output, context_tokens - into.prompt)
    return true
  }
}
