import { describe, expect, test } from 'vitest'
import { draws } from '../draws.fixture.ts'
import { contaminationFinding, type SearchedItems } from './contamination-finding.ts'

const RISK = { falseBlock: 0.05, miss: 0.05 }
const RULE = { at_most: 0.02 }
const ids = (count: number, prefix = 'q'): readonly string[] => Array.from({ length: count }, (_, index) => `${prefix}${index}`)
const foundIn = (names: readonly string[]): SearchedItems['found'] => names.map((id) => ({ id, file: 'corpus.jsonl', document: 16 }))
const searched = (items: number, found: number, short = 0): SearchedItems => ({
  items: ids(items),
  short: ids(items).slice(items - short),
  found: foundIn(ids(found)),
  documents: 1000,
})

describe('contamination', () => {
  test.each([
    ['nothing found', searched(250, 0), 'as-good'],
    ['nothing found in too few items', searched(60, 0), 'undecided'],
    ['a tenth found', searched(250, 25), 'worse'],
    ['as much found as may be', searched(250, 5), 'undecided'],
    ['items too short to tell', searched(250, 0, 200), 'undecided'],
    ['all items too short', searched(250, 0, 250), 'undecided'],
    ['a tenth found, the others too short', searched(250, 25, 225), 'worse'],
    ['no data to search', { ...searched(250, 0), documents: 0 }, 'undecided'],
  ] as const)('of %s is judged', (_, found, verdict) => {
    expect(contaminationFinding(found, RULE, RISK).verdict).toBe(verdict)
  })

  test('names the first place, and the score without what was found', () => {
    const items = ids(100)
    // Right wherever the model has read the answer, in half of the others.
    const results = items.map((id, index) => ({
      id,
      score: index < 20 ? 1 : index % 2,
      values: {},
      tokens_in: 1,
      tokens_out: 1,
      ms: 1,
      output_digest: '0'.repeat(64),
    }))
    const { why, figures } = contaminationFinding({ ...searched(100, 20), results }, RULE, RISK)
    expect(why).toMatch(/20 of 100 items are in 1000 documents .*\(q0 in document 17 of corpus\.jsonl\)/)
    expect(why).toMatch(/score 60\.0 % \(.*\) with them, 50\.0 % \(.*\) without/)
    expect(figures).toMatchObject([{ value: 0.2, at_most: 0.02, cases: 100 }, { value: 0.6 }, { value: 0.5 }])
  })

  test('at the limit is passed and refused in about 5 % each', () => {
    const random = draws(11)
    const seen = { 'as-good': 0, worse: 0, undecided: 0 }
    for (let time = 0; time < 400; time += 1)
      seen[contaminationFinding(searched(2000, ids(2000).filter(() => random() < 0.02).length), RULE, RISK).verdict] += 1 / 400
    expect(seen['as-good']).toBeLessThan(0.09)
    expect(seen.worse).toBeLessThan(0.09)
  })
})
