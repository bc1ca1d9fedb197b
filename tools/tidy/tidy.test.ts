import { expect, test } from 'vitest'
import { circleFaults } from './circles.ts'
import { HOUSE_RULES } from './house-rules.ts'
import { layerFaults } from './layers.ts'
import { projectTree, type Tree } from './tree.ts'
import { wireShapeFaults } from './wire-shapes.ts'

const ARCHITECTURE = `
| layer | package | may import | what it is |
| --- | --- | --- | --- |
| 0 | units | | numbers |
| 1 | laws | units | laws |
| 1 | contracts | | shapes |
| 6 | cli | units, laws | face |

| entry | what it holds |
| --- | --- |
| ARCHITECTURE.md, packages | everything |
`

const CONTRACT = 'packages/pure/contracts/src/node.ts'

function tree(files: Readonly<Record<string, string>>): Tree {
  const all: Readonly<Record<string, string>> = { 'ARCHITECTURE.md': ARCHITECTURE, 'packages/apps/cli/src/main.ts': '', ...files }
  return { paths: Object.keys(all), text: (path) => all[path] ?? '' }
}

const faultsOf = (files: Readonly<Record<string, string>>): string[] => [
  ...layerFaults(tree(files)),
  ...circleFaults(tree(files)),
  ...wireShapeFaults(tree(files)),
  ...HOUSE_RULES.flatMap((rule) => rule(tree(files))),
]

test('a clean tree has no faults', () => {
  expect(faultsOf({ 'packages/pure/laws/src/law.ts': "import { seconds } from '@ironlaw/units'\nimport { a } from './a.ts'" })).toEqual([])
})

test.each([
  ['an import upwards', { 'packages/pure/units/src/a.ts': "import { law } from '@ironlaw/laws'" }, 'units may not import laws'],
  [
    'an import over several lines',
    { 'packages/pure/units/src/a.ts': "import {\n  law,\n} from '@ironlaw/laws'" },
    'units may not import laws',
  ],
  ['a dynamic import', { 'packages/pure/units/src/a.ts': "await import('@ironlaw/laws')" }, 'units may not import laws'],
  ['an unlisted package', { 'packages/pure/extra/src/a.ts': '' }, 'is not in the layer table'],
  ['a path out of the package', { 'packages/pure/laws/src/a.ts': "import { x } from '../../units/src/x.ts'" }, 'leaves the package'],
  [
    'a circle',
    {
      'packages/pure/laws/src/a.ts': "import { b } from './b.ts'",
      'packages/pure/laws/src/b.ts': "import { c } from './c.ts'",
      'packages/pure/laws/src/c.ts': "import type { A } from './a.ts'",
    },
    'imports itself by way of packages/pure/laws/src/b.ts, packages/pure/laws/src/c.ts',
  ],
  ['I/O in a pure package', { 'packages/pure/laws/src/a.ts': "import { readFileSync } from 'node:fs'" }, 'may not import node:fs'],
  ['a clock in a pure package', { 'packages/pure/laws/src/a.ts': 'const now = Date.now()' }, 'may not use Date.now'],
  ['randomness in a pure package', { 'packages/pure/laws/src/a.ts': 'const x = Math.random()' }, 'may not use Math.random'],
  ['a name that says nothing', { 'packages/pure/laws/src/utils.ts': '' }, 'name the concept instead'],
  [
    'a function that says nothing',
    { 'packages/pure/laws/src/a.ts': 'export async function told(): Promise<void> {}' },
    '"told" says nothing',
  ],
  ['a type that says nothing', { 'packages/pure/laws/src/a.ts': 'type Asked = { readonly a: number }' }, '"Asked" says nothing'],
  ['a phrase of ours', { 'packages/pure/laws/src/a.ts': `// It is ${'men'}${'ded'}.` }, 'write fixed'],
  ['a package without a README', { 'packages/pure/laws/package.json': '{}' }, 'README.md is missing'],
  [
    'a type beside the schema of its name',
    { [CONTRACT]: 'const NODE_VIEW = z.object({ a: x })\nexport type NodeView = { readonly b: number }' },
    'NodeView repeats the schema NODE_VIEW',
  ],
  [
    'a type with the fields of a schema',
    {
      [CONTRACT]:
        "const SPENDING = z\n  .strictObject({\n    a_s: z.number().describe('a, b: c'),\n    b: z.object({ x, y }),\n    c, // why\n    d: z.int() })",
      'packages/pure/laws/src/a.ts':
        'export type Cost = {\n  /** One: two, */\n  readonly a_s: number\n  b: { x: 1 }; c?: string\n  readonly d: number\n}',
    },
    'Cost repeats the schema SPENDING',
  ],
  [
    'a field of the API in camel case',
    { [CONTRACT]: 'const NODE = z.object({ freeSlots: z.int() })' },
    'NODE.freeSlots: fields of the API',
  ],
  ['a camel-case file', { 'packages/pure/laws/src/myLaw.ts': '' }, 'kebab-case'],
  ['a barrel', { 'packages/pure/laws/src/all.ts': "export * from './law.ts'" }, 'only a package'],
  ['a swallowed error', { 'packages/apps/cli/src/a.ts': 'try { f() } catch (cause) { g() }' }, 'a.ts:1: an error is swallowed'],
  ['a module mock', { 'packages/pure/laws/src/a.test.ts': "vi.mock('./b.ts')" }, 'no module mocks'],
  ['debris at the root', { 'notes.txt': '' }, 'not in the root list'],
  ['an open end', { 'packages/pure/laws/src/a.ts': `// ${'TO'}${'DO'} later` }, 'open an issue'],
  ['a path of some machine', { 'packages/pure/laws/src/a.ts': `const x = '${'/ho'}${'me/'}me/x'` }, 'no path of a development machine'],
])('%s is refused', (_, files, fault) => {
  expect(faultsOf(files as Record<string, string>)).toEqual([expect.stringContaining(fault)])
})

test('the table itself may not point upwards', () => {
  const upside = tree({ 'ARCHITECTURE.md': ARCHITECTURE.replace('| 0 | units | |', '| 0 | units | laws |') })
  expect(layerFaults(upside)).toEqual([expect.stringContaining('units may not import laws')])
})

test('this project is tidy', () => {
  const project = projectTree()
  expect([
    ...layerFaults(project),
    ...circleFaults(project),
    ...wireShapeFaults(project),
    ...HOUSE_RULES.flatMap((rule) => rule(project)),
  ]).toEqual([])
})
