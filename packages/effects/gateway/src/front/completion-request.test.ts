import { describe, expect, test } from 'vitest'
import { parseRequest } from './completion-request.ts'
import type { Endpoint } from './endpoints.ts'

const parsed = (endpoint: Endpoint, fields: object) => parseRequest(endpoint, Buffer.from(JSON.stringify({ model: 'm', ...fields })))

describe('answers are counted for every prompt of a list', () => {
  for (const [name, fields, answers, promptBytes] of [
    ['a text', { prompt: 'four' }, 1, 4],
    ['a text of two bytes a character', { prompt: 'éé' }, 1, 4],
    ['texts', { prompt: ['a', 'é', ''] }, 3, 6],
    ['texts, several answers each', { prompt: ['a', 'b'], n: 5 }, 10, 4],
    ['token ids are one prompt', { prompt: [1, 2, 3] }, 1, 12],
    ['lists of token ids are one each', { prompt: [[1, 2], [3]], n: 2 }, 4, 12],
    ['the best of several', { prompt: ['a', 'b'], best_of: 8, n: 2 }, 16, 4],
  ] as const)
    test(name, () => expect(parsed('completions', fields)).toMatchObject({ answers, promptBytes }))

  test('what a template adds to a chat counts as prompt', () => {
    const messages = [{ role: 'user', content: 'hi' }]
    const tools = [{ type: 'function', function: { name: 'f', description: 'x'.repeat(1000) } }]
    expect(parsed('chat', { messages })).toMatchObject({ promptBytes: 18 })
    expect(parsed('chat', { messages, tools })).toMatchObject({ promptBytes: 18 + JSON.stringify(tools).length })
    expect(parsed('chat', { messages: [{ role: 'user', content: '', name: 'é'.repeat(100) }] })).toMatchObject({
      promptBytes: expect.toSatisfy((bytes: number) => bytes > 216),
    })
  })
})

describe('token ids that no vocabulary can have are refused here', () => {
  for (const prompt of [
    [-1],
    [1.5],
    [2 ** 31],
    [2 ** 53],
    [1, 'a'],
    ['a', 1],
    [[1], 2],
    [[1], ['a']],
    [[]],
    [],
    [null],
    [{}],
    [[[1]]],
    [true],
  ])
    test(JSON.stringify(prompt), () => {
      expect(parsed('completions', { prompt })).toMatchObject({ status: 400, param: 'prompt' })
      expect(parsed('embeddings', { input: prompt })).toMatchObject({ status: 400, param: 'input' })
    })

  test('the largest id is let through', () => expect(parsed('completions', { prompt: [2 ** 31 - 1] })).toMatchObject({ answers: 1 }))
})

for (const n of [0, 129, 1.5, '1', [], {}])
  test(`n of ${JSON.stringify(n)} is refused`, () =>
    expect(parsed('completions', { prompt: 'x', n })).toMatchObject({ status: 400, param: 'n' }))
