import { expect, test } from 'vitest'
import { parseTrainingLog } from './training-log.ts'

const megatron = (iteration: number, elapsed_ms: number, throughput = ''): string =>
  ` [2026-03-02 11:20:0${iteration % 10}] iteration ${String(iteration).padStart(8)}/     500 | consumed samples: ${iteration * 128} | elapsed time per iteration (ms): ${elapsed_ms.toFixed(1)} |${throughput} learning rate: 8.600000E-06 | global batch size:   128 | lm loss: 1.825991E+00 | loss scale: 1.0 | grad norm: 1.426 | number of skipped iterations:   0 | number of nan iterations:   0 |`

test('a log of Megatron-LM, without its first steps', () => {
  const throughput = ' throughput per GPU (TFLOP/s/GPU): 431.5 |'
  const text = ['training ...', megatron(1, 20_000, throughput), ...[2, 3, 4, 5, 6].map((at) => megatron(at, 5400 + at, throughput))].join(
    '\n',
  )
  const found = parseTrainingLog(text)
  expect(found.ok && found.log.by).toBe('Megatron-LM')
  expect(found.ok && found.log.steps.map(({ step, seconds }) => [step, seconds])).toEqual([
    [3, 5.403],
    [4, 5.404],
    [5, 5.405],
    [6, 5.406],
  ])
  expect(found.ok && found.log.steps[0]?.flop_per_s).toBe(431.5e12)
})

test('an older one, which prints no throughput', () => {
  const found = parseTrainingLog([1, 2, 3, 4, 5].map((at) => megatron(at, 86_545.2)).join('\n'))
  expect(found.ok && found.log.steps[0]).toEqual({ step: 3, seconds: 86.5452 })
})

const titan = (step: number, tps: string): string =>
  `[rank0]:[titan] 2026-02-24 19:46:17,508 - root - INFO - \u001B[31mstep: ${String(step).padStart(2)}  \u001B[32mloss:  7.62585  \u001B[38;2;180;60;0mgrad_norm: 26.6250  \u001B[38;2;54;234;195mmemory: 66.91GiB(37.51%)  \u001B[34mtps: ${tps}  \u001B[36mtflops: 314.71  \u001B[35mmfu: 31.82%\u001B[39m`

test('a log of torchtitan in colour, in which several ranks say the same', () => {
  const found = parseTrainingLog([1, 2, 3, 3, 3, 4, 5].map((step) => titan(step, '10,050')).join('\n'))
  expect(found).toMatchObject({ ok: true, log: { by: 'torchtitan' } })
  expect(found.ok && found.log.steps.map(({ step }) => step)).toEqual([3, 4, 5])
  expect(found.ok && found.log.steps[0]).toEqual({ step: 3, tokens_per_s: 10_050, flop_per_s: 314.71e12, memory_bytes: 66.91 * 2 ** 30 })
})

test.each([
  ['another text', 'epoch 1 done', 'no line of Megatron-LM'],
  ['too few steps', [1, 2, 3, 4].map((at) => megatron(at, 5400)).join('\n'), '2 steps after the first 2, fewer than 3'],
])('%s is refused', (_, text, reason) => {
  expect(parseTrainingLog(text)).toEqual({ ok: false, reason: expect.stringContaining(reason) })
})
