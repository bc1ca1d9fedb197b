// The address of the studio that shows a spec. Loads the parsers of YAML and of specs.

import { IronlawError } from '@ironlaw/contracts'
import { parseRlSpec } from '@ironlaw/contracts/rl-spec'
import { parseServeSpec } from '@ironlaw/contracts/serve-spec'
import { parseTrainSpec } from '@ironlaw/contracts/train-spec'
import { parse, YAMLParseError } from 'yaml'
import { config } from 'zod'
import { addressOf } from '../address.ts'
import { RL } from '../rl/question.ts'
import { rlStateOf } from '../rl/rl-state.ts'
import { SERVING } from '../serving/question.ts'
import { servingStateOf } from '../serving/serving-state.ts'
import { TRAINING } from '../training/question.ts'
import { trainingStateOf } from '../training/training-state.ts'

// The console's content security policy forbids compiling code.
config({ jitless: true })

const FILE = 'the spec'

type SpecAddress = { readonly ok: true; readonly address: string } | { readonly ok: false; readonly message: string; readonly next: string }

export function specAddress(text: string): SpecAddress {
  try {
    return { ok: true, address: addressFor(parse(text)) }
  } catch (cause) {
    if (cause instanceof IronlawError) return { ok: false, message: cause.message, next: `To continue: ${cause.next}.` }
    if (cause instanceof YAMLParseError) return { ok: false, message: cause.message.split('\n')[0] ?? '', next: 'Correct the YAML there.' }
    throw cause
  }
}

function addressFor(document: unknown): string {
  const { kind }: { readonly kind?: unknown } = Object(document)
  if (kind === 'RL') return addressOf('rl', RL, rlStateOf(parseRlSpec(document, FILE)))
  if (kind === 'Serve') return addressOf('serve', SERVING, servingStateOf(parseServeSpec(document, FILE)))
  if (kind === 'Train') return addressOf('train', TRAINING, trainingStateOf(parseTrainSpec(document, FILE)))
  throw new IronlawError('IL_SPEC', {
    file: FILE,
    path: 'kind',
    problem: `${kind === undefined ? 'missing' : JSON.stringify(kind)}; the studios show Train, RL and Serve`,
  })
}
