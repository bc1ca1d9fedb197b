// Facts are from lm-eval 0.4.13 (PyPI) and scikit-learn 1.9.1, computed once.

import { fc, test as property } from '@fast-check/vitest'
import { type EvaluationItem, parseItem } from '@ironlaw/contracts/evaluation-items'
import { describe, expect, test } from 'vitest'
import { expectedCalibrationError } from './calibration-error.ts'
import { itemRequests, type ModelReading } from './item-requests.ts'
import { predictionIntervals } from './metric-intervals.ts'
import { areaUnderCurve, predictionMetrics } from './prediction-metrics.ts'
import { extractedAnswer, isRightAnswer, numberOf } from './read-answer.ts'
import { type ItemAnswer, type ItemScore, scoreItem } from './score-item.ts'
import { taskMetrics } from './task-metrics.ts'

const bytes = (text: string): readonly number[] => [...new TextEncoder().encode(text)]
const reading = (most_tokens = 1000): ModelReading => ({ encode: bytes, prefix_token: 0, most_tokens })
/** A text is its tokens, written as their places. */
const counted: ModelReading = { encode: (text) => (text === '' ? [] : text.split(' ').map(Number)), prefix_token: 0, most_tokens: 5 }

const itemOf = <Kind extends EvaluationItem['kind']>(kind: Kind, fields: object): EvaluationItem<Kind> =>
  parseItem(kind, { id: '1', ...fields }, 'items.jsonl:1')

const echo = (logprobs: readonly number[], isGreedy = false): ItemAnswer => ({
  said: 'echo',
  logprobs: [null, ...logprobs],
  largest: [null, ...logprobs.map((own) => (isGreedy ? own : own + 0.1))],
})

function scored(item: Parameters<typeof scoreItem>[0], answers: readonly ItemAnswer[]): ItemScore {
  const score = scoreItem(item, itemRequests(item, reading()), answers)
  if (!score) throw new Error('the item was not answered')
  return score
}

describe('what is asked of an engine', () => {
  test.each([
    [
      10,
      5,
      [
        [[0], [1, 2, 3, 4]],
        [[4], [5, 6, 7, 8]],
        [
          [6, 7, 8],
          [9, 10],
        ],
      ],
    ],
    [4, 5, [[[0], [1, 2, 3, 4]]]],
    [3, 5, [[[0], [1, 2, 3]]]],
    [
      9,
      6,
      [
        [[0], [1, 2, 3, 4, 5]],
        [
          [4, 5],
          [6, 7, 8, 9],
        ],
      ],
    ],
  ])('%i tokens in windows of %i are those of get_rolling_token_windows', (length, most_tokens, windows) => {
    const text = Array.from({ length }, (_, index) => index + 1).join(' ')
    const requests = itemRequests(itemOf('text', { text }), { ...counted, most_tokens })
    expect(requests.map((each) => each.ask === 'likelihood' && [each.tokens.slice(0, each.from), each.tokens.slice(each.from)])).toEqual(
      windows,
    )
  })

  property.prop([fc.integer({ min: 1, max: 60 }), fc.integer({ min: 2, max: 20 })])(
    'every token of a text counts once',
    (length, most_tokens) => {
      const tokens = Array.from({ length }, (_, index) => index + 1)
      const requests = itemRequests(itemOf('text', { text: tokens.join(' ') }), { ...counted, most_tokens })
      expect(requests.flatMap((each) => (each.ask === 'likelihood' ? each.tokens.slice(each.from) : []))).toEqual(tokens)
      for (const each of requests) if (each.ask === 'likelihood') expect(each.tokens.length).toBeLessThanOrEqual(most_tokens)
    },
  )

  test('the space before a choice belongs to the choice, wherever it is written', () => {
    const choices = ['one', 'two']
    const before = itemRequests(itemOf('choice', { prompt: 'count: ', choices, answer: 0 }), reading())
    const between = itemRequests(itemOf('choice', { prompt: 'count:', choices, answer: 0, delimiter: ' ' }), reading())
    expect(before).toEqual(between)
    expect(before[0]).toMatchObject({ from: 'count:'.length, cut: 0 })
  })

  test('without a prompt the prefix stands before, once; what is too long loses its beginning', () => {
    const [bare] = itemRequests(itemOf('continuation', { prompt: '', answer: 'ab' }), reading())
    expect(bare).toEqual({ ask: 'likelihood', tokens: [0, 97, 98], from: 1, cut: 0 })
    const [own] = itemRequests(itemOf('continuation', { prompt: '', answer: '\0b' }), reading())
    expect(own).toEqual({ ask: 'likelihood', tokens: [0, 98], from: 1, cut: 0 })
    const [cut] = itemRequests(itemOf('continuation', { prompt: 'abcdef', answer: 'gh' }), reading(4))
    expect(cut).toEqual({ ask: 'likelihood', tokens: bytes('efgh'), from: 2, cut: 4 })
  })
})

describe('choices', () => {
  const item = itemOf('choice', { prompt: 'p', choices: ['ab', 'é', 'abcd'], answer: 2 })

  test('the likeliest one, and per byte or character of its text', () => {
    // Sums -2, -3 and -3.5: per byte -1, -1.5, -0.875; per character -1, -3, -0.875.
    const { score, values } = scored(item, [echo([-1, -1]), echo([-1.5, -1.5]), echo([-0.5, -1, -1, -1])])
    expect(score).toBe(0)
    expect(values).toMatchObject({ accuracy: 0, accuracy_per_byte: 1, accuracy_per_character: 1 })
  })

  test('the Brier score of two items is that of lm-eval', () => {
    const logs = (shares: readonly number[]): ItemAnswer[] => shares.map((share) => echo([Math.log(share)]))
    const one = itemOf('choice', { prompt: 'p', choices: ['a', 'b', 'c'], answer: 1 })
    const scores = [scored(one, logs([0.2, 0.5, 0.3])), scored({ ...one, answer: 0 }, logs([0.6, 0.1, 0.3]))]
    expect(taskMetrics('choice', scores)['brier']).toBeCloseTo(0.32, 12)
  })

  test('an answer that lacks a token leaves the item unanswered', () => {
    expect(scoreItem(item, itemRequests(item, reading()), [echo([-1, -1]), echo([-1]), echo([-1, -1, -1, -1])])).toBeUndefined()
    expect(scoreItem(item, itemRequests(item, reading()), [])).toBeUndefined()
  })

  property.prop([
    fc.array(fc.double({ min: -50, max: -0.01, noNaN: true }), { minLength: 2, maxLength: 5 }),
    fc.double({ min: -20, max: 0, noNaN: true }),
  ])('a constant added to all choices changes neither the pick nor the confidence', (likelihoods, constant) => {
    const choices = likelihoods.map((_, index) => String(index))
    const some = itemOf('choice', { prompt: 'p', choices, answer: 0 })
    const [plain, moved] = [0, constant].map((added) =>
      scored(
        some,
        likelihoods.map((own) => echo([own + added])),
      ),
    )
    expect(moved?.values['confidence']).toBeCloseTo(plain?.values['confidence'] ?? Number.NaN, 9)
    expect(plain?.values['confidence']).toBeGreaterThanOrEqual(1 / choices.length - 1e-12)
  })
})

test('perplexities are those of lm-eval', () => {
  const likelihood = (log_likelihood: number, words: number): ItemScore => ({
    score: 0,
    values: { log_likelihood, words, bytes: words, accuracy: 0 },
  })
  const text = taskMetrics('text', [likelihood(-12.5, 3), likelihood(-40.25, 11), likelihood(-7.125, 2)])
  expect(text['word_perplexity']).toBeCloseTo(42.190180314697045, 10)
  expect(text['bits_per_byte']).toBeCloseTo(5.398835348326668, 12)
  const continuation = taskMetrics('continuation', [likelihood(-1.5, 1), likelihood(-0.25, 1), likelihood(-3, 1)])
  expect(continuation['perplexity']).toBeCloseTo(4.871165999245474, 12)
})

test('a continuation is right where each of its tokens was the likeliest; a text counts words, bytes and nats', () => {
  const item = itemOf('continuation', { prompt: 'p', answer: 'ab' })
  expect(scored(item, [echo([-1, -2], true)])).toEqual({ score: 1, values: { accuracy: 1, log_likelihood: -3 } })
  expect(scored(item, [echo([-1, -2])])).toMatchObject({ score: 0 })
  const text = scored(itemOf('text', { text: 'né  2' }), [echo([-1, -1, -1, -1, -1, -1])])
  expect(text).toEqual({ score: Math.exp(-1), values: { log_likelihood: -6, bytes: 6, words: 2 } })
})

describe('answers', () => {
  const answerItem = (fields: object): EvaluationItem<'answer'> => itemOf('answer', { prompt: 'p', answers: ['x'], ...fields })

  test.each([
    [String.raw`#### (\-?[0-9\.\,]+)`, 0, 'so\n#### 1,234. or #### 5', '1,234.'],
    [String.raw`#### (\-?[0-9\.\,]+)`, 0, 'none', '[invalid]'],
    ['(-?[$0-9.,]{2,})|(-?[0-9]+)', -1, '3 and $4.50 then 7', '7'],
    ['(-?[$0-9.,]{2,})|(-?[0-9]+)', -1, 'cost is $18.00 ', '$18.00'],
    ['[A-D]', 0, 'x B or C', 'B'],
    [String.raw`answer is (.*?)\.`, 0, 'The answer is  Paris . yes', 'Paris'],
  ])('%s, match %i, is taken as by its regex filter', (pattern, which, written, answer) =>
    expect(extractedAnswer(answerItem({ extract: [{ pattern, which }] }), written)).toBe(answer),
  )

  test('the first pattern that is found counts', () => {
    const item = answerItem({ extract: [{ pattern: 'so: (.*)' }, { pattern: '[0-9]+', which: -1 }] })
    expect([extractedAnswer(item, '1 so: 2'), extractedAnswer(item, '1 or 2'), extractedAnswer(item, 'no')]).toEqual([
      '2',
      '2',
      '[invalid]',
    ])
  })

  test.each([
    [{ answers: ['the answer'], ignore: { case: true, punctuation: true } }, 'The, Answer!', true],
    [{ answers: ['1000'], ignore: { patterns: [',', String.raw`\$`, String.raw`\.$`] } }, '$1,000.', true],
    [{ answers: ['1000'] }, '1000 ', false],
    [{ answers: ['a', 'b'] }, 'b', true],
    [{ answers: ['paris'], match: 'contains' }, 'in paris, of course', true],
    [{ answers: ['18'], match: 'number' }, '$18.00', true],
    [{ answers: ['0.3'], match: 'number' }, String(0.1 + 0.2), true],
    [{ answers: ['18'], match: 'number' }, 'eighteen', false],
    [{ answers: ['none'], match: 'number' }, 'none', false],
  ])('%j and %s: %s', (fields, written, isRight) => expect(isRightAnswer(answerItem(fields), written)).toBe(isRight))

  property.prop([fc.double({ noNaN: true, noDefaultInfinity: true })])('a number is read as it is written', (value) => {
    expect(numberOf(` $${value} `)).toBe(Object.is(value, -0) ? 0 : value)
  })
})

describe('predictions', () => {
  const CLASSES = ['a', 'b', 'c']
  const TRUTHS = ['a', 'b', 'c', 'a', 'b', 'c', 'a', 'a', 'b', 'c', 'c', 'b']
  const CHANCES = [
    [0.7, 0.2, 0.1],
    [0.3, 0.4, 0.3],
    [0.2, 0.2, 0.6],
    [0.5, 0.3, 0.2],
    [0.6, 0.3, 0.1],
    [0.1, 0.3, 0.6],
    [0.4, 0.5, 0.1],
    [0.9, 0.05, 0.05],
    [0.2, 0.7, 0.1],
    [0.3, 0.3, 0.4],
    [0.5, 0.1, 0.4],
    [0.1, 0.8, 0.1],
  ]

  test('of three classes with probabilities', () => {
    const items = TRUTHS.map((label, index) => ({
      label,
      probabilities: Object.fromEntries(CLASSES.map((name, place) => [name, CHANCES[index]?.[place] ?? 0])),
    }))
    expectClose(predictionMetrics(items), {
      accuracy: 0.75,
      balanced_accuracy: 0.75,
      log_loss: 0.6354823428969987,
      auprc: 0.8763888888888888,
      precision: 0.7833333333333333,
      recall: 0.75,
      f1: 0.7579365079365079,
      f1_micro: 0.75,
      auroc: 0.9270833333333334,
      brier: 0.3679166666666666,
      ece: 0.2333333333333333,
    })
  })

  test('a class that was said and never true counts in the means', () => {
    const items = ['a', 'b', 'a', 'b'].map((label, index) => ({ label, prediction: ['a', 'c', 'a', 'b'][index] ?? '' }))
    expectClose(predictionMetrics(items), {
      accuracy: 0.75,
      balanced_accuracy: 0.75,
      precision: 2 / 3,
      recall: 0.5,
      f1: 0.5555555555555555,
      f1_micro: 0.75,
    })
  })

  test('of two classes', () => {
    const labels = ['no', 'yes', 'yes', 'no', 'yes', 'no', 'no', 'yes']
    const yes = [0.1, 0.9, 0.4, 0.4, 0.8, 0.6, 0.2, 0.4]
    const items = labels.map((label, index) => ({ label, probabilities: { no: 1 - (yes[index] ?? 0), yes: yes[index] ?? 0 } }))
    expect(predictionMetrics(items)['auroc']).toBeCloseTo(0.8125, 12)
    expect(predictionMetrics(items)['brier']).toBeCloseTo(0.1675, 12)
    expect(predictionMetrics(items)['log_loss']).toBeCloseTo(0.489588244166566, 12)
    // A mean over both classes, of which the harness has one at a time.
    expect(predictionMetrics(items)['auprc']).toBeCloseTo((0.8333333333333333 + 0.8166666666666667) / 2, 12)
  })

  test('of quantities', () => {
    const said = [2.5, 0, 2, 8, 4]
    const items = [3, -0.5, 2, 7, 4.25].map((label, index) => ({ label, prediction: said[index] ?? 0 }))
    expectClose(predictionMetrics(items), { mae: 0.45, rmse: 0.5590169943749475, r2: 0.9491042345276873 })
    const same = (...predictions: number[]) => predictionMetrics(predictions.map((prediction) => ({ label: 2, prediction })))['r2']
    expect([same(2, 2), same(2, 3), same(2)]).toEqual([1, 0, undefined])
  })

  test('of quantiles', () => {
    const quantiles: Readonly<Record<string, readonly number[]>> = {
      '0.1': [2, -1, 1.5, 6, 4],
      '0.5': [2.5, 0, 2, 8, 4],
      '0.9': [4, 0.25, 2.5, 7.5, 4.2],
    }
    const items = [3, -0.5, 2, 7, 4.25].map((label, index) => ({
      label,
      quantiles: Object.fromEntries(Object.entries(quantiles).map(([share, values]) => [share, values[index] ?? 0])),
    }))
    expectClose(predictionMetrics(items), {
      pinball: (0.065 + 0.225 + 0.064) / 3,
      'pinball@0.1': 0.065,
      'pinball@0.5': 0.225,
      'pinball@0.9': 0.064,
      'below@0.1': 0,
      'below@0.5': 0.6,
      'below@0.9': 0.8,
    })
    expect(scored(itemOf('prediction', { label: 3, quantiles: { '0.1': 1, '0.5': 3 } }), []).score).toBe(1)
    expect(scored(itemOf('prediction', { label: 3, quantiles: { '0.1': 1 } }), [])).toEqual({ score: 0, values: {} })
  })

  test('a class that was called impossible costs much, and not without end', () => {
    const items = [
      { label: 'a', probabilities: { a: 0, b: 1 } },
      { label: 'b', probabilities: { a: 0.2, b: 0.8 } },
    ]
    expect(predictionMetrics(items)['log_loss']).toBeCloseTo(18.13339847021568, 12)
  })

  test('intervals hold the figure of another sample as often as they say, and stay where a figure can be', () => {
    const random = seededNumbers(7)
    const drawn = (count: number) =>
      Array.from({ length: count }, (_, index) => {
        const yes = random() < 0.4
        const chance = Math.min(0.99, Math.max(0.01, (yes ? 0.6 : 0.35) + 0.5 * (random() - 0.5)))
        return itemOf('prediction', { id: String(index), label: yes ? 'yes' : 'no', probabilities: { yes: chance, no: 1 - chance } })
      })
    const truth = predictionMetrics(drawn(40_000))
    const held = { auroc: 0, log_loss: 0, balanced_accuracy: 0, f1: 0 }
    const rounds = 200
    for (let round = 0; round < rounds; round += 1) {
      const intervals = predictionIntervals(drawn(300))
      for (const metric of ['auroc', 'log_loss', 'balanced_accuracy', 'f1'] as const) {
        const { low, high } = intervals[metric] ?? { low: 1, high: 0 }
        held[metric] += Number(low <= (truth[metric] ?? Number.NaN) && (truth[metric] ?? Number.NaN) <= high)
      }
    }
    // Of 200 intervals of 90 % fewer than 167 hold the truth once in a thousand.
    for (const [metric, count] of Object.entries(held)) expect([metric, count >= 167, count]).toEqual([metric, true, count])
    const perfect = predictionIntervals([1, 2, 3, 4].map((each) => itemOf('prediction', { id: String(each), label: 'a', prediction: 'a' })))
    expect(perfect['accuracy']).toEqual({ value: 1, low: 1, high: 1 })
  })

  test('each item is right or wrong, a quantity within its tolerance', () => {
    const score = (fields: object): number => scored(itemOf('prediction', fields), []).score
    expect(score({ label: 'a', probabilities: { a: 0.6, b: 0.4 } })).toBe(1)
    expect(score({ label: 'a', prediction: 'b' })).toBe(0)
    expect([score({ label: 2, prediction: 2.5 }), score({ label: 2, prediction: 2.5, tolerance: 0.5 })]).toEqual([0, 1])
  })

  property.prop([fc.array(fc.record({ score: fc.integer({ min: 0, max: 9 }), isPositive: fc.boolean() }), { maxLength: 40 })])(
    'the area under the curve is the share of pairs in order, ties by half',
    (cases) => {
      const [positives, negatives] = [cases.filter(({ isPositive }) => isPositive), cases.filter(({ isPositive }) => !isPositive)]
      const pairs = positives.flatMap((one) =>
        negatives.map((other) => (one.score > other.score ? 1 : one.score === other.score ? 0.5 : 0)),
      )
      const share = pairs.reduce<number>((sum, won) => sum + won, 0) / pairs.length
      const area = areaUnderCurve(cases)
      if (pairs.length === 0) expect(area).toBeUndefined()
      else expect(area).toBeCloseTo(share, 12)
    },
  )

  property.prop([fc.array(fc.record({ confidence: fc.double({ min: 0, max: 1, noNaN: true }), isRight: fc.boolean() }), { minLength: 1 })])(
    'the calibration error is at least the distance of the means, and at most 1',
    (judged) => {
      const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
      const distance = Math.abs(mean(judged.map(({ confidence }) => confidence)) - mean(judged.map(({ isRight }) => Number(isRight))))
      const error = expectedCalibrationError(judged)
      expect(error).toBeGreaterThanOrEqual(distance - 1e-12)
      expect(error).toBeLessThanOrEqual(1)
    },
  )
})

/** Even numbers below 1, the same in every run. */
function seededNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

function expectClose(metrics: Readonly<Record<string, number>>, wanted: Readonly<Record<string, number>>): void {
  expect(Object.keys(metrics).toSorted()).toEqual(Object.keys(wanted).toSorted())
  for (const [name, value] of Object.entries(wanted))
    expect([name, Math.abs((metrics[name] ?? Number.NaN) - value) < 1e-12]).toEqual([name, true])
}
