// The reference of the law book: an index, one page per domain, and what was left out and why.

import { book, type Law, type WorkedExample } from '@ironlaw/laws'
import { omittedExamples, workedExamples } from '@ironlaw/laws/examples'
import { type GeneratedFile, markdownTable } from './generated.ts'

const EXAMPLES_SHOWN = 3

const domainOf = (law: Law): string => law.id.split('/')[0] ?? ''

export function lawPages(): GeneratedFile[] {
  const domains = Map.groupBy(book.values(), domainOf)
  const examples = Map.groupBy(workedExamples, (example) => example.law)
  return [
    { path: 'docs/laws/README.md', content: index(domains) },
    { path: 'docs/laws/left-out.md', content: leftOutPage() },
    ...[...domains].map(([domain, laws]) => ({ path: `docs/laws/${domain}.md`, content: domainPage(domain, laws, examples) })),
  ]
}

function index(domains: ReadonlyMap<string, readonly Law[]>): string {
  const sections = [...domains].map(
    ([domain, laws]) =>
      `## [${domain}](${domain}.md)\n\n${markdownTable(
        ['law', 'decides'],
        laws.map((law) => [`[${law.id}](${domain}.md#${anchor(law)})`, law.decides]),
      )}\n`,
  )
  return `# The law book\n\n${book.size} laws in ${domains.size} domains, each shown by \`ironlaw law <id>\`. Generated from their definitions; the formulas are evaluated against the functions by a test, and [what was left out](left-out.md) is listed with a reason. All values are in the base unit given, decimal SI; a year has 365 days.\n\n${sections.join('\n')}`
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
