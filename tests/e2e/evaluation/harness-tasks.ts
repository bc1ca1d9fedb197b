// Tasks of lm-evaluation-harness on items of our own. The model is random, so part of the right answers are what it says: scores are then
// neither 0 nor 1, and a fault on either side shows.

import type { AnswerReading } from '@ironlaw/contracts/evaluation-imports'
import { askEngine, type AskedEngine } from '@ironlaw/evaluations'

export type HarnessTask = {
  readonly name: string
  readonly rows: readonly object[]
  readonly settings: object
  /** Its names of metrics, with their filter, and ours. */
  readonly metrics: Readonly<Record<string, string>>
  /** What its log does not say of how answers are read. */
  readonly reading?: AnswerReading
}

const WORDS = 'river stone seven apple quick märz 東京 light under paper green 12 north Größe train 語 cloud when every σ'.split(' ')
const ITEMS = 12

/** The same words for the same numbers. */
const words = (seed: number, count: number): string =>
  Array.from({ length: count }, (_, index) => WORDS[(seed * 7 + index * index * 3 + index * seed) % WORDS.length]).join(' ')

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)

export async function harnessTasks(address: AskedEngine): Promise<readonly HarnessTask[]> {
  const plain = numbers(ITEMS).map((item) => ({
    question: `${words(item, 5)}?`,
    choices: numbers(4).map((choice) => words(item + 5 * choice + 1, 1 + ((item + choice) % 3))),
    answer: item % 4,
  }))
  const generated = await generatedItems(address)
  return [
    choiceTask('choice_plain', plain),
    choiceTask(
      'choice_two',
      plain.map((row) => ({ ...row, choices: row.choices.slice(0, 2), answer: row.answer % 2 })),
    ),
    choiceTask('choice_fewshot', plain, { num_fewshot: 2, fewshot_split: 'test' }),
    choiceTask(
      'choice_cut',
      plain.map((row, item) => ({ ...row, question: words(item, 120) })),
    ),
    choiceTask(
      'choice_spaces',
      plain.map((row) => ({ ...row, question: `${row.question}  ` })),
    ),
    continuationTask('continuation', await continuedItems(address)),
    continuationTask(
      'continuation_bare',
      plain.map(({ choices }) => ({ prompt: '', answer: choices[0] ?? 'x' })),
    ),
    textTask(
      'text_short',
      numbers(6).map((item) => ({ text: words(item, 9) })),
    ),
    textTask(
      'text_windows',
      numbers(3).map((item) => ({ text: `${words(item, 90)}\n\n${words(item + 1, 130 + 40 * item)}` })),
    ),
    answerTask('answer_whole', generated),
    answerTask('answer_extracted', extractedItems(generated), { extract: [{ pattern: LETTERS, which: -1 }], fallback: '-' }),
    answerTask(
      'answer_case',
      generated.map((row) => ({ ...row, answer: row.answer.toUpperCase() })),
      { ignore: { case: true, punctuation: true } },
    ),
  ]
}

const means = (...metrics: readonly string[]): object[] => metrics.map((metric) => ({ metric }))

const choiceTask = (name: string, rows: readonly object[], more: object = {}): HarnessTask => ({
  name,
  rows,
  settings: {
    output_type: 'multiple_choice',
    doc_to_text: '{{question}}',
    doc_to_choice: '{{choices}}',
    doc_to_target: 'answer',
    metric_list: means('acc', 'acc_norm', 'acc_bytes', 'brier_score'),
    ...more,
  },
  metrics: {
    'acc,none': 'accuracy',
    'acc_norm,none': 'accuracy_per_character',
    'acc_bytes,none': 'accuracy_per_byte',
    'brier_score,none': 'brier',
  },
})

const continuationTask = (name: string, rows: readonly object[]): HarnessTask => ({
  name,
  rows,
  settings: {
    output_type: 'loglikelihood',
    doc_to_text: '{{prompt}}',
    doc_to_target: '{{answer}}',
    target_delimiter: '',
    metric_list: means('perplexity', 'acc'),
  },
  metrics: { 'perplexity,none': 'perplexity', 'acc,none': 'accuracy' },
})

const textTask = (name: string, rows: readonly object[]): HarnessTask => ({
  name,
  rows,
  settings: {
    output_type: 'loglikelihood_rolling',
    doc_to_text: '',
    doc_to_target: '{{text}}',
    metric_list: means('word_perplexity', 'byte_perplexity', 'bits_per_byte'),
  },
  metrics: { 'word_perplexity,none': 'word_perplexity', 'byte_perplexity,none': 'byte_perplexity', 'bits_per_byte,none': 'bits_per_byte' },
})

const LETTERS = '([a-zA-Z])'
const UNTIL = ['Q', '\n']
const MOST_TOKENS = 24

function answerTask(name: string, rows: readonly object[], reading: AnswerReading = {}): HarnessTask {
  const [extraction] = reading.extract ?? []
  const find = extraction && {
    function: 'regex',
    regex_pattern: extraction.pattern,
    group_select: extraction.which ?? 0,
    fallback: reading.fallback,
  }
  return {
    name,
    rows,
    settings: {
      output_type: 'generate_until',
      doc_to_text: '{{question}}',
      doc_to_target: '{{answer}}',
      generation_kwargs: { until: UNTIL, max_gen_toks: MOST_TOKENS, do_sample: false, temperature: 0 },
      filter_list: [{ name: 'read', filter: [...(find ? [find] : []), { function: 'take_first' }] }],
      metric_list: [
        {
          metric: 'exact_match',
          aggregation: 'mean',
          higher_is_better: true,
          ignore_case: reading.ignore?.case === true,
          ignore_punctuation: reading.ignore?.punctuation === true,
        },
      ],
    },
    metrics: { 'exact_match,read': 'exact_match' },
    reading,
  }
}

type Generated = { readonly question: string; readonly answer: string; readonly written: string }

/** Two of three are answered as the model does. */
async function generatedItems(address: AskedEngine): Promise<readonly Generated[]> {
  const rows: Generated[] = []
  for (const item of numbers(ITEMS)) {
    const question = `${words(item + 3, 6)}:`
    const { answer: said } = await askEngine(address, {
      ask: 'generate',
      input: { prompt: question },
      until: UNTIL,
      most_tokens: MOST_TOKENS,
    })
    const written = said.said === 'text' ? said.text : ''
    rows.push({ question, written, answer: item % 3 === 0 || written === '' ? 'something else' : written })
  }
  return rows
}

const extractedItems = (rows: readonly Generated[]): readonly object[] =>
  rows.map(({ question, written }, item) => ({
    question,
    answer: item % 3 === 0 ? '?' : (written.match(new RegExp(LETTERS, 'g'))?.at(-1) ?? '-'),
  }))

/** Every other one goes on as the model does, where that is a character. */
async function continuedItems(address: AskedEngine): Promise<readonly object[]> {
  const rows: object[] = []
  for (let item = 0; rows.length < ITEMS && item < 20 * ITEMS; item += 1) {
    const prompt = words(item, 6)
    if (rows.length % 2 === 0) rows.push({ prompt, answer: ` ${words(item + 1, 1)}` })
    else {
      const { answer: said } = await askEngine(address, { ask: 'generate', input: { prompt }, until: [], most_tokens: 1 })
      if (said.said === 'text' && /^[!-~]$/.test(said.text)) rows.push({ prompt, answer: said.text })
    }
  }
  return rows
}
