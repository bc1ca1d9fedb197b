import { fc, test } from '@fast-check/vitest'
import { expect } from 'vitest'
import { parse } from 'yaml'
import { yamlText } from './yaml-text.ts'

test('reads like hand-written YAML', () => {
  expect(
    yamlText({
      kind: 'Train',
      tokens: '2T tokens',
      fleet: { count: 8, link: undefined },
      run: { program: ['train.py', '--x'], on: 'yes' },
    }),
  ).toBe('kind: Train\ntokens: 2T tokens\nfleet:\n  count: 8\nrun:\n  program: ["train.py", "--x"]\n  "on": "yes"\n')
})

const scalars = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('1e5', '0x1f', '.5', '1_000', '- a', 'a: b', '#', '2026-11-16', '12:30:45', '=', '<<'),
  fc.integer(),
  fc.boolean(),
)
const names = fc.stringMatching(/^[a-zA-Z_][\w]{0,8}$/).filter((name) => name !== '__proto__')

test.prop([
  fc.dictionary(names, fc.oneof(scalars, fc.array(scalars), fc.dictionary(names, scalars, { noNullPrototype: true })), {
    noNullPrototype: true,
  }),
])('a YAML parser reads back what was written', (value) => {
  expect(parse(yamlText(value)) ?? {}).toEqual(value)
})
