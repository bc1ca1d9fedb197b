import { expect, test } from 'vitest'
import { answerText } from './answer-text.ts'

const event = (choice: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`

test('a stream and a body that say the same are the same', () => {
  const stream = `: hello\n\n${event({ delta: { role: 'assistant' } })}${event({ delta: { content: 'a b' } })}${event({ delta: { content: ' ü' } })}data: {"choices":[],"usage":{}}\n\ndata: [DONE]\n\n`
  const body = JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content: 'a b ü' } }] })
  expect(answerText(stream, true)).toBe('a b ü')
  expect(answerText(body, false)).toBe('a b ü')
  expect(answerText(event({ text: 'x' }) + event({ text: 'y' }), true)).toBe('xy')
})

test('calls of tools are part of what is said, several answers stay apart', () => {
  const call = (name: string, text: string) => ({ message: { content: null, tool_calls: [{ function: { name, arguments: text } }] } })
  const body = JSON.stringify({
    choices: [
      { index: 1, ...call('sum', '{"a":1}') },
      { index: 0, message: { content: 'first' } },
    ],
  })
  expect(answerText(body, false)).toBe('first\nsum {"a":1}')
})

test('what is no completion is not compared', () => {
  for (const body of ['', '{', '[]', '{"object":"list","data":[]}', '{"choices":[1]}']) expect(answerText(body, false)).toBeUndefined()
})
