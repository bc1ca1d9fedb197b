import { describe, expect, test } from 'vitest'
import { parseItemResults, parseItems, type TaskKind } from './evaluation-items.ts'

const lines = (...rows: readonly object[]): string => `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`

describe('items', () => {
  test('have the fields of their kind, and what is left out has a value', () => {
    const [choice] = parseItems('choice', lines({ id: '1', prompt: 'p', choices: ['a', 'b'], answer: 1, slices: { language: 'de' } }), 'f')
    expect(choice).toEqual({
      kind: 'choice',
      id: '1',
      prompt: 'p',
      choices: ['a', 'b'],
      answer: 1,
      delimiter: '',
      slices: { language: 'de' },
    })
    const [answer] = parseItems('answer', lines({ id: '1', messages: [{ role: 'user', content: 'hi' }], answers: ['x'] }), 'f')
    expect(answer).toMatchObject({ until: [], most_tokens: 256, match: 'exact', extract: [], fallback: '[invalid]' })
    const [prediction] = parseItems('prediction', lines({ id: '1', label: 'a', probabilities: { a: 0.2, b: 0.8 } }), 'f')
    expect(prediction).toMatchObject({ kind: 'prediction', tolerance: 0 })
  })

  const choice = { id: '2', prompt: 'p', choices: ['a', 'b'], answer: 1 }
  const asked = { id: '2', prompt: 'p', answers: ['x'] }
  test.each<[TaskKind, object, RegExp]>([
    ['choice', { ...choice, answer: 2 }, /answer: there is no choice at this place/],
    ['choice', { ...choice, anwser: 1 }, /anwser: unknown field; did you mean answer/],
    ['choice', { ...choice, choices: ['a'] }, /choices: /],
    ['choice', { ...choice, id: '1' }, /id: "1" is the id of line 1 as well/],
    ['continuation', { id: '2', prompt: 'p' }, /answer: missing; expected string/],
    ['text', { id: '2', text: '' }, /text: must not be empty/],
    ['answer', { ...asked, messages: [{ role: 'user', content: 'x' }] }, /either a prompt or messages is needed/],
    ['answer', { ...asked, extract: [{ pattern: '(' }] }, /extract\.0\.pattern: is not a regular expression/],
    ['program', { id: '2', prompt: 'p' }, /tests: missing/],
    ['judged', { id: '2' }, /either a prompt or messages is needed/],
    ['prediction', { id: '2', label: 'a' }, /a prediction, probabilities or quantiles are needed/],
    ['prediction', { id: '2', label: 1, prediction: 'a' }, /both are classes/],
    ['prediction', { id: '2', label: 1, probabilities: { 1: 1 } }, /write a class as text/],
    ['prediction', { id: '2', label: 'c', probabilities: { a: 1 } }, /lack the class of the label/],
  ])('a %s item like %j is refused by its line and field', (kind, row, problem) => {
    const first: Record<TaskKind, object> = {
      choice: { ...choice, id: '1' },
      continuation: { id: '1', prompt: 'p', answer: 'x' },
      text: { id: '1', text: 'x' },
      answer: { ...asked, id: '1' },
      program: { id: '1', prompt: 'p', tests: 'x' },
      judged: { id: '1', prompt: 'p' },
      prediction: { id: '1', label: 'a', prediction: 'a' },
    }
    const parse = () => parseItems(kind, lines(first[kind], row), 'items.jsonl')
    expect(parse).toThrow(problem)
    expect(parse).toThrow(/^items\.jsonl:2: /)
  })

  test('a line that is not JSON is named; empty lines are passed over', () =>
    expect(() => parseItems('text', '\n{"id": "1"', 'items.jsonl')).toThrow(/^items\.jsonl:2: \(line\): is not JSON/))
})

test('a result has a score from 0 to 1 and the digest of what the model said', () => {
  const result = { id: '1', score: 1, values: { accuracy: 1 }, tokens_in: 3, tokens_out: 0, ms: 1.5, output_digest: 'a'.repeat(64) }
  expect(parseItemResults(lines(result), 'results.jsonl')).toEqual([result])
  expect(() => parseItemResults(lines({ ...result, score: 2 }), 'results.jsonl')).toThrow(/^results\.jsonl:1: score: /)
  expect(() => parseItemResults(lines({ ...result, output_digest: 'x' }), 'results.jsonl')).toThrow(/output_digest: expected a digest/)
})
