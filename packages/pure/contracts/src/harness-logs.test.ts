// The log as Inspect 0.3.285 writes it, samples and results as lm-eval 0.4 does, shortened.

import { describe, expect, test } from 'vitest'
import { inspectEvaluation, lmEvalEvaluation } from './harness-logs.ts'
import { sha256 } from './sha256.ts'

describe('logs of Inspect', () => {
  const model_usage = { 'openai/m': { input_tokens: 10, output_tokens: 3, total_tokens: 13 }, judge: { input_tokens: 5, output_tokens: 1 } }
  const sampleOf = (id: number | string, value: unknown, more: object = {}): object => ({
    id,
    epoch: 1,
    input: 'q',
    target: 'a',
    output: { model: 'm', choices: [], completion: 'said' },
    scores: { match: { value, answer: 'a' } },
    model_usage,
    total_time: 0.25,
    ...more,
  })
  const logOf = (samples: readonly object[], { run = {}, config = {} }: { readonly run?: object; readonly config?: object } = {}) => ({
    version: 2,
    status: 'success',
    eval: {
      task: 'sums',
      task_version: 0,
      task_args: { shots: 2 },
      model: 'openai-api/local/chat',
      packages: { inspect_ai: '0.3.285' },
      scorers: [{ name: 'match', options: {} }],
      ...run,
    },
    plan: { name: 'plan', steps: [{ solver: 'generate', params: {} }], config: { max_connections: 4, temperature: 0, ...config } },
    stats: { started_at: '2026-11-19T10:15:37+00:00', completed_at: '2026-11-19T10:15:41+00:00' },
    samples,
  })
  const evaluated = (...samples: readonly object[]) => inspectEvaluation(logOf(samples), 'log.json')

  test('marks, shares and truths become scores', () => {
    const { results } = evaluated(sampleOf(1, 'C'), sampleOf('b', 'P'), sampleOf(3, 0.7), sampleOf(4, false))
    expect(results.map(({ id, score }) => [id, score])).toEqual([
      ['1', 1],
      ['b', 0.5],
      ['3', 0.7],
      ['4', 0],
    ])
    expect(results[0]).toEqual({
      id: '1',
      score: 1,
      values: { match: 1 },
      tokens_in: 15,
      tokens_out: 4,
      ms: 250,
      output_digest: sha256('said'),
    })
  })

  test('the instrument is what the log says of it, and no more', () => {
    const { results: _, ...logged } = evaluated(sampleOf(1, 'C'))
    const digest = expect.stringMatching(/^[0-9a-f]{64}$/)
    expect(logged).toEqual({
      name: 'sums',
      model: { id: 'chat' },
      items: { digest, count: 1 },
      instrument: {
        engine: 'openai-api/local',
        template: 'chat',
        sampling: { temperature: 0 },
        harness: { program: 'inspect_ai', version: '0.3.285', settings: digest },
        task: 'inspect',
        metric: 'match',
        scoring: 1,
      },
      time_s: 4,
      concurrency: 4,
    })
  })

  test('models, waits and answers leave items and settings as they are; prompts and arguments do not', () => {
    const one = evaluated(sampleOf(1, 'C'))
    const same = inspectEvaluation(
      logOf([sampleOf(1, 'I')], { run: { model: 'openai-api/local/other' }, config: { timeout: 60, max_connections: 9 } }),
      'log.json',
    )
    expect([same.items, same.instrument]).toEqual([one.items, one.instrument])
    expect(evaluated(sampleOf(1, 'C', { input: 'another' })).items.digest).not.toBe(one.items.digest)
    const settingsOf = ({ instrument }: typeof one) => instrument.harness?.settings
    const others = [{ run: { task_args: { shots: 3 } } }, { config: { max_tokens: 5 } }]
    for (const other of others)
      expect(settingsOf(inspectEvaluation(logOf([sampleOf(1, 'C')], other), 'log.json'))).not.toBe(settingsOf(one))
  })

  test('epochs of a sample are one cluster', () =>
    expect(evaluated(sampleOf(1, 'C'), sampleOf(1, 'I', { epoch: 2 })).results).toMatchObject([
      { id: '1#1', cluster: '1' },
      { id: '1#2', cluster: '1' },
    ]))

  test('of several scorers one is named', () => {
    const log = logOf([sampleOf(1, 'C', { scores: { match: { value: 'C' }, graded: { value: 0.2 } } })])
    expect(() => inspectEvaluation(log, 'log.json')).toThrow('log.json: samples: there are several scorers: name one of match, graded')
    expect(inspectEvaluation(log, 'log.json', 'graded').results).toMatchObject([{ score: 0.2 }])
    expect(() => inspectEvaluation(log, 'log.json', 'other')).toThrow(/samples\.0\.scores\.other: a mark/)
  })

  test.each<[string, object, RegExp]>([
    ['no samples', { ...logOf([]), samples: undefined }, /samples: the log holds no samples/],
    ['an empty list', logOf([]), /samples: the log holds no samples/],
    ['a sample that was not scored', logOf([sampleOf(1, 'C'), sampleOf(2, 'C', { scores: null })]), /1 of 2 have no score/],
    ['a mark of no known kind', logOf([sampleOf(1, 7)]), /samples\.0\.scores\.match: a mark/],
    ['no model', logOf([sampleOf(1, 'C')], { run: { model: undefined } }), /eval\.model/],
  ])('%s is refused', (_, log, problem) => expect(() => inspectEvaluation(log, 'log.json')).toThrow(problem))
})

describe('logs of lm-evaluation-harness', () => {
  const sampleOf = (doc_id: number, acc: unknown, more: object = {}): object => ({
    doc_id,
    doc: { question: 'q' },
    target: '1',
    arguments: {},
    filtered_resps: [['-1.5', 'False']],
    filter: 'none',
    metrics: ['acc'],
    acc,
    ...more,
  })
  const RESULTS = {
    results: { arc: { 'acc,none': 0.5 } },
    configs: { arc: { task: 'arc', num_fewshot: 2, metadata: { version: 1, model: 'chat' } } },
    'n-shot': { arc: 2 },
    config: { model: 'local-completions', model_dtype: '', gen_kwargs: null, fewshot_seed: 1234 },
    model_name: 'chat',
    lm_eval_version: '0.4.13',
    chat_template: null,
    total_evaluation_time_seconds: '12.5',
  }
  const files = { samples: 'samples.jsonl', results: 'results.json' }
  const evaluated = (samples: readonly object[], metric?: string, results: object = RESULTS) =>
    lmEvalEvaluation({ samples, results, files }, 'arc', metric)

  test('each item has the score of its metric, by the instrument that the run says', () => {
    const { results, ...logged } = evaluated([sampleOf(0, 1), sampleOf(1, 0)])
    expect(results.map(({ id, score, values }) => [id, score, values])).toEqual([
      ['0', 1, { acc: 1 }],
      ['1', 0, { acc: 0 }],
    ])
    const digest = expect.stringMatching(/^[0-9a-f]{64}$/)
    expect(logged).toEqual({
      name: 'arc',
      model: { id: 'chat' },
      items: { digest, count: 2 },
      instrument: {
        engine: 'local-completions',
        template: 'none',
        sampling: {},
        harness: { program: 'lm_eval', version: '0.4.13', settings: digest },
        task: 'lm-eval',
        metric: 'acc',
        scoring: 1,
      },
      time_s: 12.5,
    })
  })

  test('another model is asked the same by the same instrument, and other shots are another one', () => {
    const rows = [sampleOf(0, 1)]
    const [one, other] = [evaluated(rows), evaluated(rows, 'acc', { ...RESULTS, model_name: 'other' })]
    expect([other.items, other.instrument]).toEqual([one.items, one.instrument])
    const shots = evaluated(rows, 'acc', { ...RESULTS, 'n-shot': { arc: 5 } })
    expect(shots.instrument.harness?.settings).not.toBe(one.instrument.harness?.settings)
  })

  test('of several metrics and filters one is named', () => {
    const filtered = (filter: string, exact_match: number) => sampleOf(0, undefined, { filter, metrics: ['exact_match'], exact_match })
    const rows = [filtered('strict', 0), filtered('flexible', 1)]
    expect(() => evaluated(rows)).toThrow('samples.jsonl: metrics: name one of the metrics exact_match,strict, exact_match,flexible')
    expect(evaluated(rows, 'exact_match,flexible').results).toMatchObject([{ score: 1, values: { 'exact_match,flexible': 1 } }])
    expect(() => evaluated(rows, 'acc')).toThrow('not acc')
  })

  test('what is no share of each item is refused, as are results of another run', () => {
    expect(() => evaluated([sampleOf(0, [-12.5, 3])])).toThrow('samples.jsonl: item 1: acc: a share from 0 to 1 is expected for each item')
    expect(() => evaluated([sampleOf(0, 1)], 'acc', { ...RESULTS, configs: {} })).toThrow('results.json: configs: there is no task arc')
  })
})
