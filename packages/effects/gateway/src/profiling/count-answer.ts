// Counts the features of one answer. Each is a number or a word of a closed list: nothing of the text is kept.

import { type ProfileCounter, projections, scriptOf } from '@ironlaw/policies/profile'
import type { CompletionRequest } from '../front/completion-request.ts'
import { firstEmbedding, firstWords, hasCall, hasRefusal, meanLogProbability, wholeEvents } from './answer-beginning.ts'
import { parsedWhole, type SampledContent } from './answer-sample.ts'
import { lastPrompt, offersTools } from './prompt-features.ts'
import { isRefusal } from './refusal.ts'

/** Gives the words whose language is to be found, where there are any. */
export function countAnswer(counter: ProfileCounter, asked: CompletionRequest, content: SampledContent): string | undefined {
  const prompt = lastPrompt(asked)
  if (prompt !== undefined) counter.countWord('prompt-script', scriptOf(prompt))
  if (asked.endpoint === 'embeddings') {
    countEmbedding(counter, asked, content)
    return undefined
  }
  const { beginning, ending, depth } = content
  const words = firstWords(beginning)
  if (ending !== undefined) counter.countWord('ending', ending)
  if (asked.endpoint === 'chat') {
    const called = ending === 'tool_calls' || ending === 'function_call' || hasCall(beginning)
    counter.countWord('tools', called ? 'called' : offersTools(asked) ? 'offered' : 'none')
  }
  counter.countWord('answer-script', scriptOf(words))
  counter.countWord('refusal', hasRefusal(beginning) || isRefusal(words) ? 'yes' : 'no')
  if (depth !== 'thorough') return undefined
  countLogProbability(counter, asked, content)
  return words
}

function countLogProbability(counter: ProfileCounter, { fields }: CompletionRequest, content: SampledContent): void {
  const { logprobs } = fields
  if (logprobs !== true && typeof logprobs !== 'number') return
  const whole = parsedWhole(content)
  const mean = meanLogProbability(content.body ? (whole === undefined ? [] : [whole]) : wholeEvents(content.beginning))
  if (mean !== undefined) counter.countNumber('log-probability', mean)
}

function countEmbedding(counter: ProfileCounter, { fields }: CompletionRequest, { body, depth }: SampledContent): void {
  if (!body || depth !== 'thorough') return
  const vector = firstEmbedding(body, fields['encoding_format'] === 'base64')
  for (const [index, value] of ((vector && projections(vector)) ?? []).entries()) counter.countNumber(`embedding-${index + 1}`, value)
}
