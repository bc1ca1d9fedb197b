// Parts of a card in Markdown, for each format that is read by people.

import { CARD_FACTS, type VersionFact } from '@ironlaw/contracts/model-registry'
import { bytes, show, showChange, showPercent } from '@ironlaw/units'
import type { Card, CardFigure } from './card.ts'
import { codeSpan, dateText, markdownTable, markdownText } from './markdown-text.ts'

export const FACT_TITLES: Readonly<Record<VersionFact, string>> = {
  code: 'Code',
  data: 'Data',
  configuration: 'Configuration',
  environment: 'Environment',
  plan: 'Plan',
  run: 'Run',
  hardware: 'Hardware',
  cost: 'Cost of training',
  energy: 'Energy of training',
  evaluations: 'Evaluations',
  card: 'Card',
  intended_use: 'Intended use',
  languages: 'Languages',
  context_tokens: 'Context, tokens',
  licence: 'Licence',
  limitations: 'Limitations',
  contact: 'Contact',
}

type Lines = readonly string[]

export const versionBlock = ({ id, names, state, bytes: size, added, at }: Card): Lines =>
  markdownTable(
    ['Version', markdownText(id)],
    [
      ...(names.length > 0 ? [['Names', markdownText(names.join(', '))]] : []),
      ['State', markdownText(state)],
      ['Added', `${dateText(added.at)}${added.by === undefined ? '' : ` by ${markdownText(added.by)}`}`],
      ['Size', show(bytes(size), 'B')],
      ['As of', dateText(at)],
    ],
  )

export const factBlock = ({ facts }: Card, shown: readonly VersionFact[]): Lines =>
  markdownTable(
    ['', 'What is known', 'From'],
    shown.flatMap((fact) => {
      const known = facts[fact]
      return known ? [[FACT_TITLES[fact], markdownText(known.text), markdownText(known.source)]] : []
    }),
  )

export const datasetBlock = ({ datasets }: Card): Lines =>
  markdownTable(
    ['Dataset', 'Names', 'Size'],
    datasets.map(({ id, names, bytes: size }) => [markdownText(id), markdownText(names.join(', ')), show(bytes(size), 'B')]),
  )

/** Four significant digits: more than that no set of items resolves. */
export const scoreText = (value: number): string => String(Number(value.toPrecision(4)))

export const figureBlock = ({ figures, leftOut }: Card): Lines => [
  ...markdownTable(
    ['Evaluation', 'Metric', 'Of', 'Items', 'Value', '90 % interval', 'Instrument', 'From'],
    figures.map((each) => [
      markdownText(each.evaluation),
      markdownText(each.metric),
      each.slice ? markdownText(`${each.slice.name}: ${each.slice.value}`) : 'all items',
      String(each.items),
      scoreText(each.value),
      intervalText(each),
      markdownText(each.instrument),
      markdownText(each.source),
    ]),
  ),
  ...(leftOut.length === 0 ? [] : ['', ...leftOut.map((why) => `- Left out: ${markdownText(why)}`)]),
]

const intervalText = ({ low, high }: CardFigure): string => `${scoreText(low)} to ${scoreText(high)}`

export const variantBlock = ({ variants }: Card): Lines =>
  markdownTable(
    ['Weights', 'Perplexity', 'Against 32 bits', 'Same first choice', 'From'],
    variants.map(({ weights, perplexity, perplexity_change, same_first_choice }) => [
      markdownText(weights),
      scoreText(perplexity),
      showChange(perplexity_change, 2),
      showPercent(same_first_choice),
      'model-version.json, measured at export',
    ]),
  )

export const fileBlock = ({ files }: Card): Lines =>
  markdownTable(
    ['File', 'Weights', 'Size', 'SHA-256'],
    files.map(({ path, weights = '', bytes: size, sha256 }) => [markdownText(path), markdownText(weights), show(bytes(size), 'B'), sha256]),
  )

export const decisionBlock = ({ decisions }: Card): Lines =>
  markdownTable(
    ['Decision', 'When', 'By', 'Why', 'Rule', 'Otherwise'],
    decisions.map(({ number, answer, until_at, at, by, why, rule, otherwise = '' }) => [
      `${number}. ${answer}${until_at === undefined ? '' : ` until ${dateText(until_at)}`}`,
      dateText(at),
      ...[by, why, rule, otherwise].map(markdownText),
    ]),
  )

const OF_CARD: ReadonlySet<VersionFact> = new Set(CARD_FACTS)

export const missingBlock = ({ missing }: Card): Lines =>
  markdownTable(
    ['Missing', 'A card needs it', 'How to state it'],
    missing.map(({ fact, next }) => [FACT_TITLES[fact], OF_CARD.has(fact) ? 'yes' : '', codeSpan(next)]),
  )
