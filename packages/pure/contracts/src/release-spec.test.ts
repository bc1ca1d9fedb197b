import { expect, test } from 'vitest'
import { gateName, parseReleaseSpec } from './release-spec.ts'

const SPEC = {
  apiVersion: 'ironlaw/v1',
  kind: 'Release',
  name: 'chat',
  model: 'models/tiny',
  gates: [{ evaluation: { before: 'before', after: 'after' } }],
}

test('what is left out has a default, and a gate without a name has that of its kind', () => {
  const spec = parseReleaseSpec(SPEC, 'release.yaml')
  expect(spec).toMatchObject({
    risk: { false_block: 0.05, miss: 0.05 },
    waivers: [],
    gates: [{ evaluation: { not_worse_by: 0.02, looks: 1 } }],
  })
  expect(spec.gates.map(gateName)).toEqual(['evaluation'])
})

const waiver = { gate: 'evaluation', why: 'known', by: 'ana', until: '2027-03-31' }

test.each([
  [{ gates: [] }, 'gates', 'a release without a gate is not judged'],
  [
    { gates: [{ name: 'x' }] },
    'gates.0',
    'expected one of evaluation, latency, memory, groups, contamination, quantization, scope, card, signature',
  ],
  [{ gates: [{ scope: {} }] }, 'gates.0.scope', 'use, languages or context_tokens is needed'],
  [{ gates: [{ memory: { evaluation: 'after', at_most: 24 } }] }, 'gates.0.memory.at_most', 'has no unit'],
  [{ gates: [{ contamination: { items: 'a', data: [] } }] }, 'gates.0.contamination.data', 'expected'],
  [{ gates: [{ ...SPEC.gates[0], quantization: { weights: 'q8_0' } }] }, 'gates.0', 'expected one of'],
  [{ gates: [SPEC.gates[0], SPEC.gates[0]] }, 'gates.1.name', '"evaluation" is there twice: name them'],
  [{ gates: [{ evaluation: { before: 'a', after: 'b', not_worse_by: 0 } }] }, 'gates.0.evaluation.not_worse_by', 'expected'],
  [{ gates: [{ evaluaton: { before: 'a', after: 'b' } }] }, 'gates.0.evaluaton', 'evaluation'],
  [{ waivers: [{ ...waiver, gate: 'speed' }] }, 'waivers.0.gate', 'there is no gate "speed": evaluation'],
  [{ waivers: [{ ...waiver, gate: 'complete' }] }, 'waivers', '"complete" cannot be waived: state the facts'],
  [{ waivers: [{ ...waiver, until: 'soon' }] }, 'waivers.0.until', 'expected a date such as 2027-03-31'],
])('%j is refused at %s', (change, path, problem) => {
  expect(() => parseReleaseSpec({ ...SPEC, ...change }, 'release.yaml')).toThrow(
    expect.objectContaining({ message: expect.stringMatching(new RegExp(`${path.replaceAll('.', '\\.')}.*${problem.slice(0, 20)}`, 's')) }),
  )
})
