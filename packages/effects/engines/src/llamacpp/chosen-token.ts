// A token with its log probability and the likeliest others. They are those of the distribution that was sampled from: after temperature
// and the cuts by top_k, top_p and min_p.

import type { LlamaModel, Token } from 'node-llama-cpp'
import type { ChosenToken } from '../engine.ts'

/** JSON has no minus infinity; OpenAI's API writes this for what cannot be. */
const LOWEST = -9999

type DrawnToken = { readonly token: Token; readonly probabilities: ReadonlyMap<Token, number> }

export function chosenToken(model: LlamaModel, { token, probabilities }: DrawnToken, alternatives: number): ChosenToken {
  const chance = (each: Token, probability: number) => ({
    text: tokenText(model.detokenize([each], true), each),
    logprob: probability > 0 ? Math.log(probability) : LOWEST,
  })
  const likeliest = [...probabilities].toSorted(([, a], [, b]) => b - a).slice(0, alternatives)
  return {
    ...chance(token, probabilities.get(token) ?? 0),
    alternatives: likeliest.map(([each, probability]) => chance(each, probability)),
  }
}

/** A token that is no whole character has no text of its own; vLLM names it by its id. */
export const tokenText = (text: string, token: Token): string => (text.includes('\uFFFD') ? `token_id:${token}` : text)
