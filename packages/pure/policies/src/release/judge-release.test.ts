import { describe, expect, test } from 'vitest'
import { draws } from '../draws.fixture.ts'
import { latencyFinding, memoryFinding, quantizationFinding } from './gate-findings.ts'
import { judgeRelease, type NamedFinding } from './judge-release.ts'

const TODAY = '2026-11-18'
const finding = (gate: string, verdict: NamedFinding['verdict']): NamedFinding => ({
  gate,
  kind: 'evaluation',
  verdict,
  why: 'because',
  wouldChange: 'more items',
  figures: [],
})
const waiver = { gate: 'speed', why: 'the old one is slower', by: 'ana', until: TODAY }

describe('a release', () => {
  test.each([
    [['as-good', 'as-good'], [], 'release', ['passed', 'passed']],
    [['as-good', 'undecided'], [], 'undecided', ['passed', 'undecided']],
    [['worse', 'undecided'], [], 'refuse', ['refused', 'undecided']],
    [['as-good', 'worse'], [waiver], 'release', ['passed', 'waived']],
    [['as-good', 'worse'], [{ ...waiver, until: '2026-11-17' }], 'refuse', ['passed', 'refused']],
    [['as-good', 'worse'], [{ ...waiver, until: '2026-11-17' }, waiver], 'release', ['passed', 'waived']],
    [['worse', 'worse'], [waiver], 'refuse', ['refused', 'waived']],
    [['as-good', 'as-good'], [waiver], 'release', ['passed', 'passed']],
  ] as const)('of gates that are %j with waivers %j is %s', (verdicts, waivers, answer, states) => {
    const [first, second] = verdicts
    const judged = judgeRelease([finding('quality', first), finding('speed', second)], waivers, TODAY)
    expect([judged.answer, judged.gates.map(({ state }) => state)]).toEqual([answer, states])
  })

  test('shows a waiver that ended', () => {
    const [gate] = judgeRelease([finding('speed', 'worse')], [{ ...waiver, until: '2026-01-01' }], TODAY).gates
    expect(gate).toMatchObject({ state: 'refused', waiver: { by: 'ana' } })
  })
})

describe('latency', () => {
  const RISK = { falseBlock: 0.05, miss: 0.05 }
  const rule = { evaluation: 'after', ms: 100, percentile: 95 }
  const verdicts = (late: number, items: number): Record<string, number> => {
    const random = draws(items)
    const seen: Record<string, number> = { 'as-good': 0, worse: 0, undecided: 0 }
    for (let time = 0; time < 400; time += 1) {
      const times = Array.from({ length: items }, () => (random() < late ? 101 : 99))
      const { verdict } = latencyFinding(times, rule, RISK)
      seen[verdict] = (seen[verdict] ?? 0) + 1 / 400
    }
    return seen
  }

  test('at the limit is passed and refused in about 5 % each', () => {
    const seen = verdicts(0.05, 1000)
    expect(seen['as-good']).toBeLessThan(0.09)
    expect(seen['worse']).toBeLessThan(0.09)
  })

  test('well within it is passed, well beyond it refused, and of few items undecided', () => {
    expect(verdicts(0.02, 1000)['as-good']).toBeGreaterThan(0.95)
    expect(verdicts(0.1, 1000)['worse']).toBeGreaterThan(0.95)
    expect(latencyFinding([50, 60], rule, RISK).verdict).toBe('undecided')
  })
})

test.each([
  [3.9e9, 'as-good', 'the engine held 3.9 GB at most; 4.0 GB may'],
  [4.1e9, 'worse', 'the engine held 4.1 GB at most; 4.0 GB may'],
  [undefined, 'undecided', 'the engine did not say how much memory it held'],
] as const)('memory of %j is %s', (held, verdict, why) => {
  expect(memoryFinding(held, 4e9)).toMatchObject({ verdict, why })
})

test('a kind of weights that export did not measure is undecided', () => {
  const rule = { weights: 'q4_0', perplexity: 0.01, first_choice: 0.95 }
  expect(quantizationFinding(undefined, rule)).toMatchObject({ verdict: 'undecided', why: 'the export did not measure q4_0' })
})
