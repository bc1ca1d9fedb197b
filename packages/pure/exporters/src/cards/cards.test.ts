// Every format of a card by golden text; what others read by their own programs: CycloneDX by its published schema, the hub's metadata by
// huggingface_hub (HUGGINGFACE_HUB_PYTHON names a Python that has it: `pip install huggingface_hub==2.4.0`).

import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fc, test as property } from '@fast-check/vitest'
import { CARD_FORMATS } from '@ironlaw/contracts/card'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { type CardSources, modelCard } from './card.ts'
import { renderCard } from './render-card.ts'
import { KNOWN, UNKNOWN } from './sample-card.fixture.ts'

const render = (sources: CardSources, format: (typeof CARD_FORMATS)[number]): string => renderCard(modelCard(sources), format).text

/** `UPDATE=1 vitest run cards` rewrites the files; the difference is then read by a person. */
test.each(
  CARD_FORMATS.flatMap((format) => [
    { format, name: 'known', sources: KNOWN },
    { format, name: 'unknown', sources: UNKNOWN },
  ]),
)('a version that is $name, as $format', ({ format, name, sources }) => {
  const path = join(import.meta.dirname, 'golden', `${name}.${format}.txt`)
  const text = render(sources, format)
  if (process.env['UPDATE'] === '1') writeFileSync(path, text)
  expect(text).toBe(readFileSync(path, 'utf8'))
})

test('scores of weights that the version does not have are left out, with the reason', () => {
  const [record, evaluation] = [KNOWN.record, KNOWN.evaluations[0]]
  if (!record || !evaluation) throw new Error('the sample has both')
  const card = modelCard({
    ...KNOWN,
    record: { ...record, files: [{ path: 'other.gguf', bytes: 1, sha256: 'e'.repeat(64) }] },
    evaluations: [evaluation],
    unread: 3,
  })
  expect(card.figures).toEqual([])
  expect(card.leftOut).toEqual([
    'sums is of weights aaaaaaaaaaaa, which this version does not have',
    '3 older evaluations name the version and were not read',
  ])
})

const SCHEMAS = join(dirname(fileURLToPath(import.meta.resolve('@cyclonedx/cyclonedx-library/package.json'))), 'res', 'schema')
const schema = (name: string): object => JSON.parse(readFileSync(join(SCHEMAS, `${name}.SNAPSHOT.schema.json`), 'utf8')) as object
const nameIn = (name: string): string => `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`
const ajv = addFormats
  .default(new Ajv({ strict: false, allErrors: true }))
  .addFormat('iri-reference', true)
  .addFormat('idn-email', true)
  .addSchema(schema('spdx'), nameIn('spdx'))
  .addSchema(schema('jsf-0.82'), nameIn('jsf-0.82'))
const isCycloneDx = ajv.compile(schema('bom-1.6'))

/** Errors of the schema of CycloneDX 1.6. */
function cycloneDxErrors(text: string): unknown {
  isCycloneDx(JSON.parse(text))
  return isCycloneDx.errors ?? []
}

test('the bill of materials is what the schema of CycloneDX 1.6 says, and the schema sees a wrong one', () => {
  for (const sources of [KNOWN, UNKNOWN]) expect(cycloneDxErrors(render(sources, 'cyclonedx'))).toEqual([])
  expect(cycloneDxErrors(render(KNOWN, 'cyclonedx').replace('"kWh"', '"J"'))).not.toEqual([])
})

/** What people may write into facts, names and evaluations, with what is markup somewhere. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        '\n',
        '\r\n',
        '---\n',
        '# h',
        '| a | b |',
        '<script>',
        '](x)',
        '![i](',
        '`',
        '**',
        '\u2028',
        '\u202E',
        '\u0085',
        '": {',
        "'",
        '\\',
        '&lt;',
        '- ',
        '1. ',
        ':',
        '\0',
        'ü',
        '😀',
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join('')),
)

const withText = (text: string): CardSources => ({
  ...KNOWN,
  names: [`n${text}`],
  stated: { ...KNOWN.stated, oversight: `o${text}` },
  known: KNOWN.known.map((each) => (each.from === 'stated' ? { ...each, value: `v${text}` } : each)),
  evaluations: KNOWN.evaluations.map((each) => ({
    ...each,
    name: `e${text}`,
    ...(each.document && {
      document: { ...each.document, name: `d${text}`, slices: [{ slice: `s${text}`, value: text, items: 1, score: each.document.score }] },
    }),
  })),
  datasets: KNOWN.datasets.map((each) => ({ ...each, names: [`c${text}`] })),
  decisions: KNOWN.decisions.map((each) => ({ ...each, why: `w${text}` })),
})

/** Where lines, cells and headings are: what hostile text must not move. */
const structureOf = (markdown: string): readonly string[] =>
  markdown.split('\n').map((line) => `${/^(?:#+ |\||- |Missing: )?/.exec(line)?.[0]}${line.split(/(?<!\\)\|/).length}`)

property.prop([hostile], { numRuns: 100 })('hostile text stays text in every format', (text) => {
  const [sources, plain] = [withText(text), withText('x')]
  for (const format of ['md', 'annex-iv'] as const) {
    const shown = render(sources, format)
    expect(structureOf(shown)).toEqual(structureOf(render(plain, format)))
    expect(shown).not.toMatch(/<|(?<!\\)\[|[\u202A-\u202E\u2066-\u2069\0\u2028\u0085]/)
    expect(shown.match(/(?<!\\)`/g)).toHaveLength(render(plain, format).match(/(?<!\\)`/g)?.length ?? 0)
  }
  const [, front = ''] = /^---\n([\s\S]*?)\n---\n/.exec(render(sources, 'hf')) ?? []
  const metadata = parse(front) as { readonly 'model-index': readonly [{ readonly name: string }] }
  expect(['language', 'license', 'license_name', 'tags', 'model-index']).toEqual(expect.arrayContaining(Object.keys(metadata)))
  expect(metadata['model-index'][0].name).toBe(`n${text}`.toWellFormed())
  expect(cycloneDxErrors(render(sources, 'cyclonedx'))).toEqual([])
})

const PYTHON = process.env['HUGGINGFACE_HUB_PYTHON'] ?? ''

test('huggingface_hub reads the metadata and the results (needs HUGGINGFACE_HUB_PYTHON)', { skip: PYTHON === '' }, () => {
  const cards = [KNOWN, UNKNOWN, withText('---\n# h: "\u2028\u0085😀\u202E')].map((sources) => render(sources, 'hf'))
  const script = [
    'import json, sys',
    'from huggingface_hub import ModelCard',
    'for text in json.load(sys.stdin):',
    '    data = ModelCard(text).data',
    "    print(json.dumps([data.license, [[r.dataset_name, r.metric_type, r.metric_value, r.metric_args['low']] for r in data.eval_results or []]]))",
  ].join('\n')
  const { stdout, stderr, status } = spawnSync(PYTHON, ['-c', script], { input: JSON.stringify(cards), encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  const read = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
  expect(read.slice(0, 2)).toEqual([
    [
      'apache-2.0',
      [
        ['sums', 'exact_match', 0.864, 0.8427],
        ['sums', 'exact_match', 0.66, 0.6387],
      ],
    ],
    [null, []],
  ])
  expect(read[2]).toMatchObject(['other', [[expect.stringContaining('😀'), 'exact_match', 0.864, 0.8427], expect.anything()]])
})
