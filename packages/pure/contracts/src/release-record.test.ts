import { expect, test } from 'vitest'
import { parseReleaseRecord } from './release-record.ts'

const GATE = { gate: 'latency', kind: 'latency', state: 'passed', why: 'fast', would_change: 'slower', figures: [], evidence: [] }
const RECORD = {
  apiVersion: 'ironlaw/v1',
  kind: 'ReleaseCheck',
  name: 'chat',
  version: 'mv-1',
  checked_at: 1,
  answer: 'release',
  risk: { false_block: 0.05, miss: 0.05 },
  spec: { path: 'release.yaml' },
  gates: [GATE],
}

test('fields of a newer version are left out', () => {
  expect(parseReleaseRecord({ ...RECORD, mood: 'good', gates: [{ ...GATE, colour: 'green' }] })).toEqual(RECORD)
})

test.each<[string, unknown, RegExp]>([
  ['an answer that is not that of its gates', { ...RECORD, gates: [{ ...GATE, state: 'refused' }] }, /answer: is not what its gates say/],
  ['no gate', { ...RECORD, gates: [] }, /gates: /],
  ['a state of its own', { ...RECORD, gates: [{ ...GATE, state: 'fine' }] }, /gates\.0\.state: /],
  ['a digest that is none', { ...RECORD, spec: { path: 'a', sha256: '<b>' } }, /spec\.sha256: /],
  [
    'a number that is none',
    { ...RECORD, gates: [{ ...GATE, figures: [{ name: 'a', unit: 'ms', value: JSON.parse('1e999') }] }] },
    /figures\.0/,
  ],
  ['a list', [], /the file: /],
  ['nothing', null, /the file: /],
])('%s is refused', (_, value, message) => expect(() => parseReleaseRecord(value)).toThrow(message))
