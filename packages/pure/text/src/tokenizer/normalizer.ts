// What happens to a text, or to a part of it between added tokens, before it is split.

import { refused, type Step } from './tokenizer-file.ts'

export type Normalizer = (text: string) => string

const isString = (value: unknown): value is string => typeof value === 'string'

function normalizerStep(step: Step): Normalizer {
  switch (step.type) {
    case 'NFC':
    case 'NFD':
    case 'NFKC':
    case 'NFKD': {
      const form = step.type
      return (text) => text.normalize(form)
    }
    case 'Prepend': {
      const { prepend } = step
      if (!isString(prepend)) throw refused('normalizer Prepend has no text')
      return (text) => (text === '' ? text : prepend + text)
    }
    case 'Replace': {
      const pattern = (step['pattern'] as { readonly String?: unknown } | undefined)?.String
      const { content } = step
      if (!isString(pattern) || !isString(content)) throw refused('normalizer Replace has a pattern other than a string')
      return (text) => text.replaceAll(pattern, () => content)
    }
    default:
      throw refused(`the normalizer ${step.type} is not supported`)
  }
}

export function normalizer(steps: readonly Step[]): Normalizer {
  const parts = steps.map(normalizerStep)
  return (text) => parts.reduce((current, part) => part(current), text)
}
