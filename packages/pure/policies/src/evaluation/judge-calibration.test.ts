// The interval is checked against a truth that is known because it was drawn.

import { describe, expect, test } from 'vitest'
import { calibrateJudge, type LabelledVerdict } from './judge-calibration.ts'
import { judgeRequests, readVerdict } from './scoring/judge-prompt.ts'

/** Even numbers below 1, the same in every run. */
function seededNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

type Drawn = {
  readonly share: number
  readonly sensitivity: number
  readonly specificity: number
  readonly items: number
  readonly labels: number
}

function draw({ share, sensitivity, specificity, items, labels }: Drawn, random: () => number) {
  const verdict = (isRight: boolean): number => Number(random() < (isRight ? sensitivity : 1 - specificity))
  const labelled: LabelledVerdict[] = Array.from({ length: labels }, (_, index) => {
    const label = index % 2 === 0 ? 1 : 0
    return { label, score: verdict(label === 1) }
  })
  return { labelled, verdicts: Array.from({ length: items }, () => ({ score: verdict(random() < share), values: {} })) }
}

const ROUNDS = 400

describe('the corrected share', () => {
  test.each([
    { share: 0.4, sensitivity: 0.9, specificity: 0.8, items: 300, labels: 120 },
    { share: 0.3, sensitivity: 0.75, specificity: 0.95, items: 200, labels: 60 },
    { share: 0.95, sensitivity: 0.85, specificity: 0.85, items: 1000, labels: 200 },
    { share: 0.05, sensitivity: 0.95, specificity: 0.9, items: 150, labels: 400 },
  ])('holds the truth in nine of ten cases: %j', (drawn) => {
    const random = seededNumbers(11)
    let [held, rawHeld, said, sum] = [0, 0, 0, 0]
    for (let round = 0; round < ROUNDS; round += 1) {
      const { labelled, verdicts } = draw(drawn, random)
      const { corrected } = calibrateJudge(verdicts, labelled)
      if (!corrected) continue
      said += 1
      sum += corrected.value
      held += Number(corrected.low <= drawn.share && drawn.share <= corrected.high)
      const raw = verdicts.filter(({ score }) => score === 1).length / verdicts.length
      rawHeld += Number(Math.abs(raw - drawn.share) < 1.645 * Math.sqrt((raw * (1 - raw)) / verdicts.length))
    }
    expect(said).toBeGreaterThan(0.9 * ROUNDS)
    // Less than 86 % of 400 happen once in 250 where 90 % is true.
    expect(held / said).toBeGreaterThan(0.86)
    expect(Math.abs(sum / said - drawn.share)).toBeLessThan(0.03)
    // What the judge says as it stands is another number.
    expect(rawHeld / said).toBeLessThan(0.85)
  })

  test('is not given from too few labels, nor from a judge that guesses', () => {
    const random = seededNumbers(3)
    const few = draw({ share: 0.5, sensitivity: 0.9, specificity: 0.9, items: 100, labels: 39 }, random)
    expect(calibrateJudge(few.verdicts, few.labelled)).toEqual({
      labelled: { right: 20, wrong: 19 },
      refused: '20 right and 19 wrong answers are labelled; 20 of each are needed',
    })
    const coin = draw({ share: 0.5, sensitivity: 0.5, specificity: 0.5, items: 100, labels: 200 }, random)
    const judged = calibrateJudge(coin.verdicts, coin.labelled)
    expect(judged.refused).toMatch(/^the judge tells right from wrong too badly/)
    expect(judged.corrected).toBeUndefined()
    expect(judged.agreement?.value).toBeGreaterThan(0.3)
  })

  test('items of one text say less than as many of their own', () => {
    const { labelled, verdicts } = draw({ share: 0.6, sensitivity: 0.9, specificity: 0.9, items: 100, labels: 200 }, seededNumbers(5))
    const repeated = verdicts.flatMap((verdict, index) => Array.from({ length: 4 }, () => ({ ...verdict, cluster: String(index) })))
    const [alone, together] = [calibrateJudge(verdicts, labelled).corrected, calibrateJudge(repeated, labelled).corrected]
    const width = (interval: typeof alone): number => (interval ? interval.high - interval.low : Number.NaN)
    expect(width(together)).toBeCloseTo(width(alone), 2)
  })
})

test('with a reference the judge is asked in both orders', () => {
  const judge = { prompt: 'Judge.', most_tokens: 4 }
  const texts = (item: Parameters<typeof judgeRequests>[0]): readonly string[] =>
    judgeRequests(item, 'my answer', judge).map(({ input }) => ('prompt' in input ? input.prompt : ''))
  const [first, second] = texts({ prompt: 'why?', reference: 'the reference' })
  expect(first?.indexOf('the reference')).toBeLessThan(first?.indexOf('my answer') ?? 0)
  expect(second?.indexOf('the reference')).toBeGreaterThan(second?.indexOf('my answer') ?? Infinity)
  expect(texts({ messages: [{ role: 'user', content: 'why?' }] })).toHaveLength(1)
})

test.each([
  ['Right.', 'right'],
  [' wrong', 'wrong'],
  ['The answer is WRONG', 'wrong'],
  ['right or wrong?', 'unclear'],
  ['brightly', 'unclear'],
  ['', 'unclear'],
])('%j is %s', (said, verdict) => expect(readVerdict(said)).toBe(verdict))
