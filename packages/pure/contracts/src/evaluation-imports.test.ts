// Rows as lm-eval 0.4.13 writes them with --log_samples, shortened.

import { describe, expect, test } from 'vitest'
import { itemsOfLmEvalSamples } from './evaluation-imports.ts'

type RequestArguments = readonly [context: unknown, continuation?: unknown]

const sample = (doc_id: number, target: string, asked: readonly RequestArguments[], more: object = {}): object => ({
  doc_id,
  doc: { question: 'q' },
  target,
  arguments: Object.fromEntries(
    asked.map(([context, continuation], index) => [
      `gen_args_${index}`,
      { arg_0: context, ...(continuation !== undefined && { arg_1: continuation }) },
    ]),
  ),
  resps: [[['-1.5', 'False']]],
  filtered_resps: asked.map((_, index) => [String(-1 - index), 'False']),
  filter: 'none',
  metrics: ['acc'],
  doc_hash: 'x',
  prompt_hash: 'x',
  target_hash: 'x',
  ...more,
})

const imported = (rows: readonly object[], ...more: readonly [] | readonly [object]) => itemsOfLmEvalSamples(rows, 'samples.jsonl', ...more)

describe('samples of lm-evaluation-harness', () => {
  test('choices without the delimiter between prompt and choice', () => {
    const choice = (doc_id: number, target: string) =>
      sample(doc_id, target, [
        ['q?', ' one'],
        ['q?', ' two words'],
      ])
    expect(imported([choice(0, '1'), choice(7, 'one')])).toEqual({
      kind: 'choice',
      items: [
        { kind: 'choice', id: '0', prompt: 'q?', choices: ['one', 'two words'], delimiter: ' ', answer: 1 },
        { kind: 'choice', id: '7', prompt: 'q?', choices: ['one', 'two words'], delimiter: ' ', answer: 0 },
      ],
    })
  })

  test('choices asked without a prompt too belong to mutual information', () => {
    const rows = [
      sample(0, '0', [
        ['q?', ' a'],
        ['q?', ' b'],
        ['', ' a'],
        ['', ' b'],
      ]),
    ]
    expect(imported(rows).items).toMatchObject([{ choices: ['a', 'b'] }])
  })

  test('a target that is the place of one choice and the text of another is told by its score', () => {
    const row = (acc: number) =>
      sample(
        0,
        '1',
        [
          ['q?', ' 1'],
          ['q?', ' 2'],
        ],
        { acc },
      )
    expect(imported([row(1)]).items).toMatchObject([{ answer: 0 }])
    expect(imported([row(0)]).items).toMatchObject([{ answer: 1 }])
  })

  test('continuations, texts and answers; a task with two filters has each item once', () => {
    expect(imported([sample(3, 'x', [['before', ' after']])])).toEqual({
      kind: 'continuation',
      items: [{ kind: 'continuation', id: '3', prompt: 'before', answer: ' after' }],
    })
    expect(imported([sample(3, 'x', [['all of it']])])).toEqual({ kind: 'text', items: [{ kind: 'text', id: '3', text: 'all of it' }] })
    const settings = { until: ['\n', ''], max_gen_toks: 24, do_sample: false }
    const generatedRow = (filter: string) => sample(3, '18', [['how many?', settings]], { filter })
    const reading = { extract: [{ pattern: '[0-9]+', which: -1 }], match: 'number' }
    expect(imported([generatedRow('strict'), generatedRow('flexible')], reading)).toMatchObject({
      kind: 'answer',
      items: [{ id: '3', prompt: 'how many?', answers: ['18'], until: ['\n'], most_tokens: 24, match: 'number' }],
    })
  })

  test('several right answers as Python prints them, and a chat', () => {
    const chat = ['[{"role": "user", "content": "hi"}]']
    const [item] = imported([sample(0, `['a', "it's", 'b\\'c\\n']`, [[chat, { until: 'stop' }]])]).items
    expect(item).toMatchObject({ messages: [{ role: 'user', content: 'hi' }], answers: ['a', "it's", "b'c\n"], until: ['stop'] })
    expect(imported([sample(0, '[not, a list]', [['q', {}]])]).items).toMatchObject([{ answers: ['[not, a list]'], most_tokens: 256 }])
  })

  test.each<[readonly object[], RegExp]>([
    [[{ doc_id: 1 }], /^samples\.jsonl:1: arguments: missing/],
    [
      [
        sample(0, '5', [
          ['q', ' a'],
          ['q', ' b'],
        ]),
      ],
      /^samples\.jsonl:1: target: "5" is neither/,
    ],
    [
      [
        sample(0, '0', [
          ['p', ' a'],
          ['q', ' a'],
        ]),
      ],
      /choices that stand in different prompts are not supported/,
    ],
    [[sample(0, '', [['t']]), sample(1, 'x', [['p', ' a']])], /rows of one kind of task/],
    [[sample(0, 'x', [])], /^samples\.jsonl:1: arguments: the row says nothing/],
    [[sample(0, 'x', [[['no json'], {}]])], /the chat cannot be read/],
  ])('%j is refused', (rows, problem) => expect(() => imported(rows)).toThrow(problem))
})
