// Technical documentation in the order of Annex IV of the EU AI Act, Regulation (EU) 2024/1689. What the registry knows is filled in, what it does not
// know is listed with how to state it. It is no legal advice: which points apply to a system is for its provider to say.

import type { VersionFact } from '@ironlaw/contracts/model-registry'
import type { Card } from './card.ts'
import {
  datasetBlock,
  decisionBlock,
  FACT_TITLES,
  factBlock,
  figureBlock,
  fileBlock,
  missingBlock,
  variantBlock,
  versionBlock,
} from './card-blocks.ts'
import { valueText } from './fact-text.ts'
import { codeSpan, markdownTable, markdownText, section } from './markdown-text.ts'

/** A requirement of a point: facts of the registry that answer it, further facts that somebody may state, and parts of the card. */
type Requirement = {
  readonly asks: string
  readonly facts?: readonly VersionFact[]
  readonly stated?: readonly string[]
  readonly block?: (card: Card) => readonly string[]
}

type Point = { readonly title: string; readonly requirements: readonly Requirement[] }

const POINTS: readonly Point[] = [
  {
    title: '1. General description of the AI system',
    requirements: [
      { asks: '(a) intended purpose, provider, version', facts: ['intended_use', 'contact'], stated: ['provider'], block: versionBlock },
      { asks: '(b) other systems, hardware and software that it interacts with', stated: ['interactions'] },
      { asks: '(c) versions of software that it needs, and of updates', facts: ['environment'] },
      { asks: '(d) forms in which it is placed on the market', stated: ['distribution'], block: fileBlock },
      { asks: '(e) hardware that it is intended to run on', stated: ['target_hardware'] },
      { asks: '(f) products that it is a component of', stated: ['product'] },
      { asks: '(g) user interface', stated: ['interface'] },
      { asks: '(h) instructions for use', stated: ['instructions'] },
    ],
  },
  {
    title: '2. Elements of the AI system and process of its development',
    requirements: [
      { asks: '(a) methods and steps of development, with tools of others', facts: ['code', 'configuration', 'plan', 'run'] },
      { asks: '(b) design: logic, choices, assumptions, what it is optimised for', stated: ['design'] },
      {
        asks: '(c) architecture, and resources used for training and testing',
        facts: ['hardware', 'cost', 'energy'],
        stated: ['architecture'],
      },
      { asks: '(d) data: origin, scope, selection, labelling, cleaning', facts: ['data'], block: datasetBlock },
      { asks: '(e) human oversight that is needed', stated: ['oversight'] },
      { asks: '(f) changes that were determined in advance', stated: ['predetermined_changes'] },
      { asks: '(g) validation and testing: data, metrics, results', facts: ['evaluations'], block: figureBlock },
      { asks: '(h) cybersecurity', stated: ['security'] },
    ],
  },
  {
    title: '3. Monitoring, functioning and control',
    requirements: [
      { asks: 'capabilities and limits of performance', facts: ['languages', 'context_tokens', 'limitations'], block: variantBlock },
      { asks: 'foreseeable unintended outcomes and risks', stated: ['risks'] },
      { asks: 'specifications of input data', stated: ['input_data'] },
    ],
  },
  { title: '4. Appropriateness of the performance metrics', requirements: [{ asks: 'why these metrics', stated: ['metrics_rationale'] }] },
  { title: '5. Risk management system (Article 9)', requirements: [{ asks: 'the system', stated: ['risk_management'] }] },
  {
    title: '6. Changes through the lifecycle',
    requirements: [{ asks: 'changes, and what was decided about this version', stated: ['changes'], block: decisionBlock }],
  },
  {
    title: '7. Harmonised standards applied',
    requirements: [{ asks: 'standards, or other solutions that meet the requirements', stated: ['standards'] }],
  },
  { title: '8. EU declaration of conformity (Article 47)', requirements: [{ asks: 'a copy of it', stated: ['conformity'] }] },
  {
    title: '9. Evaluation of performance after placing on the market (Article 72)',
    requirements: [{ asks: 'the system, with the monitoring plan', stated: ['monitoring_plan'] }],
  },
]

export const annexIvCard = (card: Card): string =>
  `${[
    `# Technical documentation of ${markdownText(card.title)}, by Annex IV of Regulation (EU) 2024/1689`,
    ...POINTS.flatMap((point) => pointLines(card, point)),
    ...section(
      'What is not known',
      missingBlock(card),
      markdownTable(
        ['Missing', 'For', 'How to state it'],
        missingStated(card).map(({ what, next, title }) => [what, title, codeSpan(next)]),
      ),
    ),
  ].join('\n')}\n`

/** Facts of Annex IV that the registry has no name of its own for. */
export const missingStated = ({ stated }: Card): readonly { readonly what: string; readonly next: string; readonly title: string }[] =>
  POINTS.flatMap(({ title, requirements }) =>
    requirements
      .flatMap((requirement) => requirement.stated ?? [])
      .filter((name) => statedText(stated, name) === undefined)
      .map((what) => ({ what, title, next: `ironlaw artifact add DIR --type model --fact ${what}="..."` })),
  )

const pointLines = (card: Card, { title, requirements }: Point): readonly string[] => [
  '',
  `## ${title}`,
  ...requirements.flatMap((requirement) => ['', `### ${requirement.asks}`, '', ...requirementLines(card, requirement)]),
]

function requirementLines(card: Card, { facts = [], stated = [], block }: Requirement): readonly string[] {
  const missing = [
    ...facts.filter((fact) => !card.facts[fact]).map((fact) => FACT_TITLES[fact].toLowerCase()),
    ...stated.filter((name) => statedText(card.stated, name) === undefined),
  ]
  const rows = stated.flatMap((name) => {
    const text = statedText(card.stated, name)
    return text === undefined ? [] : [[name, markdownText(text), card.statedIn]]
  })
  const blocks = [factBlock(card, facts), markdownTable(['', 'What is stated', 'From'], rows), block?.(card) ?? []]
  return [
    ...blocks.filter((lines) => lines.length > 0).flatMap((lines, index) => (index === 0 ? lines : ['', ...lines])),
    ...(missing.length === 0 ? [] : [...(blocks.some((lines) => lines.length > 0) ? [''] : []), `Missing: ${missing.join(', ')}`]),
  ]
}

function statedText(stated: Card['stated'], name: string): string | undefined {
  const value = stated[name]
  const text = value === undefined || value === null ? '' : valueText(value)
  return text.trim() === '' ? undefined : text
}
