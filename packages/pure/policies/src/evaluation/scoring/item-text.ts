// An item and what a model said of it as texts, for people who compare models item by item.

import type { EvaluationItem, ItemText } from '@ironlaw/contracts/evaluation-items'
import type { ItemRequest } from './item-requests.ts'
import { type ItemAnswer, likeliestPlace } from './score-item.ts'

/** What is asked of the engine in tokens has an answer in words only where the choices are known. */
export function itemText(item: EvaluationItem, requests: readonly ItemRequest[], answers: readonly ItemAnswer[]): ItemText {
  const { id } = item
  const [first] = answers
  const said = first?.said === 'text' ? { said: first.text } : {}
  switch (item.kind) {
    case 'choice': {
      const place = likeliestPlace(requests, answers)
      const chosen = place === undefined ? undefined : item.choices[place]
      return { id, prompt: item.prompt, right: item.choices[item.answer] ?? '', ...(chosen !== undefined && { said: chosen }) }
    }
    case 'continuation':
      return { id, prompt: item.prompt, right: item.answer }
    case 'text':
      return { id, prompt: item.text }
    case 'answer':
      return { id, prompt: askedText(item), right: item.answers[0] ?? '', ...said }
    case 'program':
      return { id, prompt: askedText(item), right: item.tests, ...said }
    case 'judged':
      return { id, prompt: askedText(item), ...(item.reference !== undefined && { right: item.reference }), ...said }
    case 'prediction':
      return { id, prompt: '', right: String(item.label), ...(item.prediction !== undefined && { said: String(item.prediction) }) }
  }
}

const askedText = ({ prompt, messages = [] }: EvaluationItem<'answer' | 'program' | 'judged'>): string =>
  prompt ?? messages.map(({ role, content }) => `${role}: ${content}`).join('\n')
