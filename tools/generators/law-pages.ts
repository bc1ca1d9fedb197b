// The reference of the law book: an index, one page per domain, and what was left out and why.

import { book, type Law, type WorkedExample } from '@ironlaw/laws'
import { omittedExamples, workedExamples } from '@ironlaw/laws/examples'
import { calledLaws, isPlainArithmetic } from './called-laws.ts'
import { type GeneratedFile, markdownTable } from './generated.ts'

const EXAMPLES_SHOWN = 3

const domainOf = (law: Law): string => law.id.split('/')[0] ?? ''

export async function lawPages(): Promise<GeneratedFile[]> {
  const called = await calledLaws()
  const inAppendix = (law: Law): boolean => isPlainArithmetic(law) && !called.has(law.id)
  const laws = [...book.values()]
  const domains = Map.groupBy(
    laws.filter((law) => !inAppendix(law)),
    domainOf,
  )
  const appendix = laws.filter(inAppendix)
  const examples = Map.groupBy(workedExamples, (example) => example.law)
  return [
    { path: 'docs/laws/README.md', content: index(domains, { called, appendix: appendix.length }) },
    { path: 'docs/laws/appendix.md', content: appendixPage(appendix, examples) },
    { path: 'docs/laws/left-out.md', content: leftOutPage() },
    ...[...domains].map(([domain, own]) => ({ path: `docs/laws/${domain}.md`, content: domainPage(domain, own, examples) })),
  ]
}

type BookFigures = { readonly called: ReadonlySet<string>; readonly appendix: number }

function index(domains: ReadonlyMap<string, readonly Law[]>, { called, appendix }: BookFigures): string {
  const sections = [...domains].map(
    ([domain, laws]) =>
      `## [${domain}](${domain}.md)\n\n${markdownTable(
        ['law', 'decides', 'called by the product'],
        laws.map((law) => [`[${law.id}](${domain}.md#${anchor(law)})`, law.decides, called.has(law.id) ? 'yes' : '']),
      )}\n`,
  )
  return `# The law book\n\n${book.size} laws, each shown by \`ironlaw law <id>\`; planners, simulator and ledger call ${called.size} of them. Generated from their definitions; the formulas are evaluated against the functions by a test, and [what was left out](left-out.md) is listed with a reason. ${appendix} that only multiply and divide, and that nothing calls, are in the [appendix](appendix.md). All values are in the base unit given, decimal SI; a year has 365 days.\n\n${sections.join('\n')}`
}

function appendixPage(laws: readonly Law[], examples: ReadonlyMap<string, readonly WorkedExample[]>): string {
  return `# Laws: appendix\n\n[All laws](README.md)\n\nLaws of one product or quotient, kept because texts use them and their worked examples are checked.\n\n${laws.map((law) => section(law, examples.get(law.id) ?? [])).join('\n')}`
}

const anchor = (law: Law): string => law.id.replaceAll('/', '')

function domainPage(domain: string, laws: readonly Law[], examples: ReadonlyMap<string, readonly WorkedExample[]>): string {
  return `# Laws: ${domain}\n\n[All laws](README.md)\n\n${laws.map((law) => section(law, examples.get(law.id) ?? [])).join('\n')}`
}

function section(law: Law, examples: readonly WorkedExample[]): string {
  const formulas = [[law.output, law.is, law.unit], ...Object.entries(law.also).map(([name, { is, unit }]) => [name, is, unit])]
  const inputs = Object.entries(law.inputs).map(([name, { unit, kind, fallback }]) => [
    `\`${name}\``,
    unit,
    kind === 'list'
      ? 'several values'
      : fallback !== undefined && Number.isFinite(fallback)
        ? `default ${fallback}`
        : kind === 'optional'
          ? 'may be left out'
          : '',
  ])
  return [
    `## ${law.id}`,
    '',
    `**${law.name}.** Decides ${law.decides}.`,
    '',
    ...formulas.map(([name, is, unit]) => `    ${name} = ${is?.replace(/^text: /, '')}   [${unit}]`),
    '',
    markdownTable(['input', 'unit', ''], inputs),
    '',
    `Holds: ${law.validity}.  `,
    `Source: ${law.source}.`,
    '',
    ...examples.slice(0, EXAMPLES_SHOWN).map(exampleLine),
    '',
  ].join('\n')
}

function exampleLine({ title, source, given, gives, note }: WorkedExample): string {
  const inputs = Object.entries(given).map(([name, value]) => `${name} ${typeof value === 'string' ? value : value.join(', ')}`)
  const outputs = Object.entries(gives).map(([name, value]) => `${name} ${value}`)
  return `- ${title} (${source}): ${inputs.join('; ')} → **${outputs.join('; ')}**${note === undefined ? '' : `. ${note}`}`
}

function leftOutPage(): string {
  const rows = Object.entries(omittedExamples).map(([id, { reason, examples }]) => [id, String(examples.length), reason])
  return `# What is not a law here\n\nFormulas of the source texts that decide nothing by themselves, with the number of worked examples each accounts for.\n\n${markdownTable(['formula', 'examples', 'why'], rows)}\n`
}
