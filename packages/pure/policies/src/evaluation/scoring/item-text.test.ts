import { parseItem } from '@ironlaw/contracts/evaluation-items'
import { expect, test } from 'vitest'
import { itemText } from './item-text.ts'
import type { LikelihoodRequest } from './item-requests.ts'

const request: LikelihoodRequest = { ask: 'likelihood', tokens: [1, 2], from: 1, cut: 0 }
const echo = (logprob: number) => ({ said: 'echo', logprobs: [null, logprob], largest: [null, 0] }) as const

test('an answer is what the model said; a conversation is asked with its roles', () => {
  const item = parseItem(
    'answer',
    {
      id: 'a',
      messages: [
        { role: 'system', content: 'Add.' },
        { role: 'user', content: '1 + 1' },
      ],
      answers: ['2'],
    },
    'items',
  )
  expect(itemText(item, [], [{ said: 'text', text: '3' }])).toEqual({ id: 'a', prompt: 'system: Add.\nuser: 1 + 1', right: '2', said: '3' })
})

test('of choices the likeliest is what it said', () => {
  const item = parseItem('choice', { id: 'a', prompt: '1 + 1 =', choices: [' 1', ' 2'], answer: 1 }, 'items')
  expect(itemText(item, [request, request], [echo(-1), echo(-3)])).toEqual({ id: 'a', prompt: '1 + 1 =', right: ' 2', said: ' 1' })
  expect(itemText(item, [request, request], [echo(-1)])).toEqual({ id: 'a', prompt: '1 + 1 =', right: ' 2' })
})
