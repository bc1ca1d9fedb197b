// A datasheet of a dataset, in the order of Gebru and others, "Datasheets for Datasets" (2021): what is in it, where it came from, what was done to it,
// who uses it. Counts are those that the build measured; what nobody measured or stated is listed.

import type { Json } from '@ironlaw/contracts'
import type { CardDocument } from '@ironlaw/contracts/card'
import {
  type Amount,
  type DataFigures,
  type DataSources,
  FIGURES_FILE,
  SOURCES_FILE,
  type StepFigures,
} from '@ironlaw/contracts/data-figures'
import { bytes, show, showPercent } from '@ironlaw/units'
import { valueText } from './fact-text.ts'
import { codeSpan, dateText, markdownTable, markdownText, section } from './markdown-text.ts'

/** A directory of the dataset that "ironlaw data build" wrote: most datasets are one. */
export type DatasheetPart = {
  /** With its slash; empty for the whole. */
  readonly folder: string
  readonly figures?: DataFigures
  readonly sources?: DataSources
}

export type DatasheetSources = {
  readonly id: string
  readonly names: readonly string[]
  readonly bytes: number
  readonly files: number
  readonly added: { readonly at: number; readonly by: string }
  readonly madeBy?: string
  readonly facts: Readonly<Record<string, Json | undefined>>
  readonly parts: readonly DatasheetPart[]
  readonly uses: {
    readonly runs: readonly { readonly id: string; readonly name: string; readonly state: string }[]
    readonly models: readonly { readonly id: string; readonly names: readonly string[] }[]
    /** There are more than these. */
    readonly truncated: boolean
  }
  readonly at: number
}

type Question = { readonly fact: string; readonly title: string }

/** What only people know: facts of the artifact. */
const QUESTIONS: Readonly<Record<'motivation' | 'collection' | 'uses' | 'distribution' | 'maintenance', readonly Question[]>> = {
  motivation: [{ fact: 'motivation', title: 'What it was made for' }],
  collection: [
    { fact: 'collection', title: 'How it was collected' },
    { fact: 'consent', title: 'Whether people in it know and agreed' },
  ],
  uses: [
    { fact: 'intended_use', title: 'Intended use' },
    { fact: 'limitations', title: 'Limitations' },
  ],
  distribution: [{ fact: 'licence', title: 'Licence' }],
  maintenance: [{ fact: 'contact', title: 'Contact' }],
}

export function datasheet(sources: DatasheetSources): CardDocument {
  const { id, names, parts } = sources
  const missing = missingOf(sources)
  const lines = [
    `# ${markdownText(names[0] ?? id.slice(0, 12))}`,
    '',
    ...headBlock(sources),
    ...section('Motivation', statedBlock(sources, QUESTIONS.motivation)),
    ...section('Composition', ...parts.map(sourceBlock)),
    ...section('Collection', statedBlock(sources, QUESTIONS.collection), originBlock(sources)),
    ...section('Preprocessing and cleaning', ...parts.map(stepBlock)),
    ...section('Uses', statedBlock(sources, QUESTIONS.uses), useBlock(sources)),
    ...section('Distribution', statedBlock(sources, QUESTIONS.distribution)),
    ...section('Maintenance', statedBlock(sources, QUESTIONS.maintenance)),
    ...section(
      'What is not known',
      markdownTable(
        ['Missing', 'How to state it'],
        missing.map(({ what, next }) => [what, codeSpan(next)]),
      ),
    ),
  ]
  return { of: id, file: 'datasheet.md', media_type: 'text/markdown', text: `${lines.join('\n')}\n`, missing }
}

const STEPS = 'steps and sources'

function missingOf({ facts, parts }: DatasheetSources): CardDocument['missing'] {
  const stated = Object.values(QUESTIONS)
    .flat()
    .filter(({ fact }) => facts[fact] === undefined)
    .map(({ fact }) => ({ what: fact, next: `ironlaw artifact add DIR --type dataset --fact ${fact}="..."` }))
  const isBuilt = parts.some(({ figures, sources }) => figures && sources)
  return isBuilt ? stated : [...stated, { what: STEPS, next: 'ironlaw data build SPEC' }]
}

const headBlock = ({ id, names, bytes: size, files, added, at }: DatasheetSources): readonly string[] =>
  markdownTable(
    ['Dataset', markdownText(id)],
    [
      ...(names.length > 0 ? [['Names', markdownText(names.join(', '))]] : []),
      ['Size', `${show(bytes(size), 'B')} in ${count(files)} files`],
      ['Added', `${dateText(added.at)} by ${markdownText(added.by)}`],
      ['As of', dateText(at)],
    ],
  )

const statedBlock = ({ facts }: DatasheetSources, questions: readonly Question[]): readonly string[] =>
  markdownTable(
    ['', 'As stated with the artifact'],
    questions.flatMap(({ fact, title }) => {
      const value = facts[fact]
      return value === undefined ? [] : [[title, markdownText(valueText(value))]]
    }),
  )

const count = (value: number): string => Math.round(value).toLocaleString('en')

const inFolder = (folder: string, file: string): string => markdownText(`${folder}${file}`)

function sourceBlock({ folder, figures, sources }: DatasheetPart): readonly string[] {
  if (!figures) return []
  const origins = new Map(sources?.sources.map((each) => [each.name, each]))
  const rows = Object.entries(figures.sources).map(([name, { records, violations, out }]) => {
    const origin = origins.get(name)
    return [
      markdownText(name),
      origin === undefined ? '' : origin.origin === 'real' ? 'real' : `synthetic, generation ${origin.generation}`,
      count(records),
      count(violations),
      count(out.documents),
      show(bytes(out.bytes), 'B'),
      out.tokens > 0 ? count(out.tokens) : '',
    ]
  })
  return [
    ...markdownTable(['Source', 'Origin', 'Records read', 'Violate the contract', 'Documents', 'Text', 'Tokens'], rows),
    ...(rows.length === 0
      ? []
      : ['', `From ${inFolder(folder, FIGURES_FILE)} and ${inFolder(folder, SOURCES_FILE)}, counted by the build.`]),
  ]
}

const originBlock = ({ madeBy, parts }: DatasheetSources): readonly string[] => [
  ...(madeBy === undefined ? [] : [`Made by run ${markdownText(madeBy)}.`]),
  ...parts.flatMap(({ sources }) => (sources ? fileBlock(sources) : [])),
]

/** Of a crawl there are thousands of files: the dataset names them all. */
const MOST_FILES = 3

const fileBlock = ({ sources, units }: DataSources): readonly string[] =>
  sources.flatMap(({ name }, index) => {
    const files = [...new Set(units.filter(({ source }) => source === index).map(({ file }) => file))]
    const more = files.length > MOST_FILES ? [`${count(files.length - MOST_FILES)} more`] : []
    return files.length === 0 ? [] : [`- ${markdownText(name)}: ${[...files.slice(0, MOST_FILES).map(markdownText), ...more].join(', ')}`]
  })

function stepBlock({ folder, figures }: DatasheetPart): readonly string[] {
  if (!figures) return []
  return [
    ...markdownTable(
      ['Step', 'Documents in', 'Kept', 'Of documents', 'Of text', 'Dropped for'],
      figures.steps.map((step) => [
        markdownText(step.step),
        count(step.into.documents),
        count(step.kept.documents),
        shareText(step, 'documents'),
        shareText(step, 'bytes'),
        reasonText(step),
      ]),
    ),
    '',
    `From ${inFolder(folder, FIGURES_FILE)}, which has examples of what each step dropped.`,
  ]
}

const shareText = ({ into, kept }: StepFigures, of: keyof Amount): string => (into[of] > 0 ? showPercent(kept[of] / into[of]) : '')

const reasonText = ({ dropped }: StepFigures): string =>
  Object.entries(dropped)
    .toSorted(([, a], [, b]) => b.documents - a.documents)
    .map(([reason, { documents }]) => `${markdownText(reason)} ${count(documents)}`)
    .join(', ')

const useBlock = ({ uses: { runs, models, truncated } }: DatasheetSources): readonly string[] => [
  ...markdownTable(
    ['What used it, or came of it', '', ''],
    [
      ...runs.map(({ id, name, state }) => ['run', markdownText(id), `${markdownText(name)}, ${state}`]),
      ...models.map(({ id, names }) => ['model', markdownText(id), markdownText(names.join(', '))]),
    ],
  ),
  ...(truncated ? ['', 'There are more than these.'] : []),
]
