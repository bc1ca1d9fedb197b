import { expect, test } from 'vitest'
import { judgeLoss } from './judge-loss.ts'
import { judgeStraggler } from './judge-straggler.ts'

const rows = (losses: readonly (number | null)[]) => losses.map((loss, step) => ({ step, loss }))
const calm = Array.from({ length: 60 }, (_, step) => 3 + 0.05 * Math.sin(step))

test('a calm loss is no verdict', () => expect(judgeLoss(rows(calm))).toBeUndefined())
test('one bad batch is no verdict', () => expect(judgeLoss(rows([...calm, 9, 3, 3, 3, 3]))).toBeUndefined())
test('a rise that stays names its first step', () => expect(judgeLoss(rows([...calm, 8, 8, 8, 8, 8]))).toMatchObject({ step: 60 }))
test('not a number is a verdict at once', () => expect(judgeLoss(rows([3, 3, null]))).toMatchObject({ step: 2 }))
test('a falling loss is no verdict', () => expect(judgeLoss(rows(calm.map((loss, step) => loss - 0.02 * step)))).toBeUndefined())

const pace = (slow: (step: number) => number, factor: number) =>
  Array.from({ length: 60 }, (_, step) => ({ step, slowest: { rank: slow(step), compute_s: factor }, median_compute_s: 1 }))

test('the same slow rank in nearly all steps', () => expect(judgeStraggler(pace(() => 3, 1.5))).toEqual({ rank: 3, factor: 1.5 }))
test('slowness that wanders', () => expect(judgeStraggler(pace((step) => step % 4, 1.5))).toBeUndefined())
test('slowness not worth a restart', () => expect(judgeStraggler(pace(() => 3, 1.1))).toBeUndefined())
