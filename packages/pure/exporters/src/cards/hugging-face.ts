// README.md of a repository of the Hugging Face hub: metadata that the hub reads, and the card below it.

import type { Json } from '@ironlaw/contracts'
import type { EvaluatedTask } from '@ironlaw/contracts/evaluate-spec'
import type { Card, CardFigure } from './card.ts'
import { scoreText } from './card-blocks.ts'
import { markdownCard } from './markdown.ts'
import { yamlText } from './yaml-text.ts'

/** Identifiers of licences that the hub knows, of those that models have. Others are named in words. */
const HUB_LICENCES: ReadonlySet<string> = new Set(
  (
    'apache-2.0 mit openrail bigscience-openrail-m creativeml-openrail-m bigcode-openrail-m bsd-2-clause bsd-3-clause cc0-1.0 cc-by-4.0 ' +
    'cc-by-sa-4.0 cc-by-nc-4.0 cc-by-nc-sa-4.0 cc-by-nd-4.0 cc-by-nc-nd-4.0 gpl-2.0 gpl-3.0 lgpl-3.0 agpl-3.0 mpl-2.0 isc unlicense ' +
    'llama2 llama3 llama3.1 llama3.2 llama3.3 gemma'
  ).split(' '),
)

export const huggingFaceCard = (card: Card): string => `---\n${yamlText(metadata(card))}---\n\n${markdownCard(card)}`

function metadata(card: Card): { readonly [field: string]: Json | undefined } {
  const { facts, figures, files, title } = card
  const languages = languagesOf(facts.languages?.text)
  return {
    ...(languages.length > 0 && { language: languages }),
    ...licenceOf(facts.licence?.text),
    tags: ['ironlaw', ...(files.some(({ path }) => path.endsWith('.gguf')) ? ['gguf'] : [])],
    ...(figures.length > 0 && { 'model-index': [{ name: title, results: resultsOf(figures) }] }),
  }
}

/** The hub takes codes of two or three letters. */
const languagesOf = (text: string | undefined): readonly string[] =>
  (text ?? '')
    .split(',')
    .map((each) => each.trim().toLowerCase())
    .filter((each) => /^[a-z]{2,3}$/.test(each))

function licenceOf(licence: string | undefined): { readonly [field: string]: Json } {
  if (licence === undefined) return {}
  const identifier = licence.trim().toLowerCase()
  return HUB_LICENCES.has(identifier) ? { license: identifier } : { license: 'other', license_name: licence }
}

/** Tasks as the hub names them. */
const HUB_TASKS: Readonly<Record<EvaluatedTask, string>> = {
  choice: 'multiple-choice',
  continuation: 'text-generation',
  text: 'text-generation',
  answer: 'text-generation',
  program: 'text-generation',
  judged: 'text-generation',
  prediction: 'tabular-classification',
}

const isHubTask = (task: string): task is EvaluatedTask => task in HUB_TASKS

/** One result for each set of items and slice of it, as the hub tells them apart. */
function resultsOf(figures: readonly CardFigure[]): readonly Json[] {
  const groups = Map.groupBy(figures, ({ source, itemsDigest, slice }) => JSON.stringify([source, itemsDigest, slice]))
  return [...groups.values()].flatMap(([first, ...others]) => (first ? [resultOf(first, [first, ...others])] : []))
}

const resultOf = ({ task, evaluation, itemsDigest, slice, items }: CardFigure, figures: readonly CardFigure[]): Json => ({
  task: { type: isHubTask(task) ? HUB_TASKS[task] : 'other' },
  dataset: {
    name: evaluation,
    type: evaluation,
    ...(slice && { config: `${slice.name}: ${slice.value}` }),
    revision: itemsDigest,
    args: { items },
  },
  metrics: figures.map(({ metric, value, low, high, source, instrument }) => ({
    type: metric,
    value: Number(scoreText(value)),
    name: `${metric}, ${source}`,
    args: { low: Number(scoreText(low)), high: Number(scoreText(high)), confidence: 0.9, instrument },
  })),
})
