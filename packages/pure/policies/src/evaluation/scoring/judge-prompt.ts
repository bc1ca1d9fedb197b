// What a judge is asked about an answer, and what it said. With a reference it is asked twice, the second time with answer and reference in each
// other's place: a judge that goes by the place says something else.

import type { EvaluationItem } from '@ironlaw/contracts/evaluation-items'
import type { GenerateRequest } from './item-requests.ts'

export type JudgeVerdict = 'right' | 'wrong' | 'unclear'

type Judge = { readonly prompt: string; readonly most_tokens: number }

type JudgedItem = Pick<EvaluationItem<'judged'>, 'prompt' | 'messages' | 'reference'>

export function judgeRequests(item: JudgedItem, answer: string, { prompt, most_tokens }: Judge): readonly GenerateRequest[] {
  const question = item.prompt ?? (item.messages ?? []).map(({ role, content }) => `${role}: ${content}`).join('\n')
  const own = block('Answer', answer)
  const orders = item.reference === undefined ? [[own]] : ordersOf(own, block('Reference answer', item.reference))
  return orders.map((blocks) => ({
    ask: 'generate',
    input: { prompt: [prompt, block('Question', question), ...blocks, 'Say one word about the answer: right or wrong.'].join('\n\n') },
    until: [],
    most_tokens,
  }))
}

const block = (title: string, content: string): string => `[${title}]\n${content}\n[End of ${title.toLowerCase()}]`

const ordersOf = (one: string, other: string): readonly (readonly string[])[] => [
  [other, one],
  [one, other],
]

/** The only one of the two words that is there. */
export function readVerdict(said: string): JudgeVerdict {
  const words = new Set(said.toLowerCase().match(/\b(?:right|wrong)\b/g))
  if (words.size !== 1) return 'unclear'
  return words.has('right') ? 'right' : 'wrong'
}
