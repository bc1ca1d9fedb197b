// What the model expected of a prompt, token by token: the log probability of each one after those before it, and the likeliest at its
// place, of the plain distribution that nothing was cut from.

import type { LlamaContextSequence, LlamaModel, Token } from 'node-llama-cpp'
import type { ChosenToken } from '../engine.ts'
import { tokenText } from './chosen-token.ts'

/** Evaluates tokens `from` to `to` and says how likely each of those after them was. */
export async function nextTokenChances(
  sequence: LlamaContextSequence,
  model: LlamaModel,
  { tokens, from, to, alternatives }: NextTokens,
): Promise<readonly ChosenToken[]> {
  // The largest logit is needed in any case, and `includeMax` of 3.22 leaves it out unless it was requested by name.
  const includeTop = Math.max(1, alternatives)
  const expected = tokens.slice(from + 1, to + 1)
  const outputs = await sequence.controlledEvaluate(
    tokens
      .slice(from, to)
      .map((token, index) => [
        token,
        { generateNext: { logits: { filter: { tokens: expected.slice(index, index + 1), includeTop } }, totalLogitWeight: true } },
      ]),
  )
  return expected.map((token, index) => {
    const { logits = new Map<Token, number>(), totalLogitWeight: total = Number.NaN } = outputs[index]?.next ?? {}
    // Softmax: the total is the sum of exp(logit - largest).
    const base = Math.max(...logits.values()) + Math.log(total)
    const chance = (each: Token) => ({
      text: tokenText(model.detokenize([each], true), each),
      logprob: (logits.get(each) ?? Number.NaN) - base,
    })
    const likeliest = [...logits].toSorted(([, a], [, b]) => b - a).slice(0, alternatives)
    return { ...chance(token), alternatives: likeliest.map(([each]) => chance(each)) }
  })
}

type NextTokens = {
  readonly tokens: readonly Token[]
  readonly from: number
  readonly to: number
  readonly alternatives: number
}

export const firstToken = (model: LlamaModel, token: Token): ChosenToken => ({
  text: tokenText(model.detokenize([token], true), token),
  logprob: null,
  alternatives: [],
})
