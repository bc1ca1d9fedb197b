// Sizes of a spec of kind RL that the trainer or the engines could not take, refused by the fields of that spec.

import { IronlawError } from '@ironlaw/contracts'
import type { RlSpec } from '@ironlaw/contracts/rl-spec'
import type { NamedModel } from '../training/request/training-request.ts'
import type { RlWork } from './trainer.ts'

/** As for training: published runs stay below a tenth of it. */
const MOST_TOKENS_PER_UPDATE = 1e9

export function refuseSizes(spec: RlSpec, { name, architecture: { longestContext = Infinity } }: NamedModel, work: RlWork): void {
  const refuse = (path: string, problem: string): never => {
    throw new IronlawError('IL_SPEC', { file: `spec "${spec.name}"`, path, problem })
  }
  const longest = spec.promptTokens + spec.longestAnswer
  if (spec.promptTokens >= longestContext)
    refuse(
      'promptTokens',
      `${formatted(spec.promptTokens)} tokens fill the ${formatted(longestContext)} that ${name} takes: no answer fits`,
    )
  if (longest > longestContext)
    refuse(
      'longestAnswer',
      `with a prompt of ${formatted(spec.promptTokens)} it makes ${formatted(longest)} tokens, and ${name} takes ${formatted(longestContext)}: take at most ${formatted(longestContext - spec.promptTokens)}`,
    )
  const perUpdate = (work.requests * work.tokens) / work.updates
  if (perUpdate > MOST_TOKENS_PER_UPDATE)
    refuse(
      spec.updateBatch === undefined ? 'prompts' : 'updateBatch',
      `one update would learn from ${formatted(perUpdate)} tokens, more than any run: take fewer answers per update`,
    )
}

const formatted = (value: number): string => Math.round(value).toLocaleString('en')
