import { describe, expect, test } from 'vitest'
import { parseEvaluateSpec, scoredMetric } from './evaluate-spec.ts'

const LEAST = {
  apiVersion: 'ironlaw/v1',
  kind: 'Evaluate',
  name: 'sums',
  items: { file: 'items.jsonl' },
  task: 'answer',
  engine: { url: 'http://127.0.0.1:8000' },
}

test('what is left out has the defaults that the schema states', () => {
  const spec = parseEvaluateSpec(LEAST, 'evaluate.yaml')
  expect(spec).toMatchObject({ template: 'none', repeats: 1, margin: 0.02, risk: { false_block: 0.05, miss: 0.05 }, looks: 1 })
  expect(spec.engine.concurrency).toBe(8)
  expect(spec.sampling.temperature).toBe(0)
  expect(scoredMetric(spec)).toBe('exact_match')
})

describe('problems name the path of their field', () => {
  test.each([
    [{ items: {} }, 'items.file: either a file or an artifact is needed'],
    [{ items: { file: 'a', artifact: 'qa@3' } }, 'items.file: either a file or an artifact is needed, and not both'],
    [{ engine: {} }, 'engine.url: either a url or a deployment is needed'],
    [{ engine: { url: 'file:///etc/passwd' } }, 'engine.url: expected a URL such as http'],
    [{ engine: { url: 'http://a', concurency: 3 } }, 'engine.concurency: unknown field; did you mean concurrency?'],
    [{ task: 'proof' }, 'task: expected one of "choice"|"continuation"|"text"|"answer"|"program"|"judged"|"prediction"'],
    [{ task: 'judged' }, 'judge: missing; task judged has a model as judge'],
    [{ judge: { url: 'http://b' } }, 'judge: belongs to task judged'],
    [{ task: 'prediction', predictor: { model: 'a' } }, 'engine: task prediction asks no engine'],
    [{ task: 'prediction', engine: {} }, 'predictor: missing'],
    [{ predictor: { model: 'a' } }, 'predictor: belongs to task prediction'],
    [{ task: 'program', sandbox: { time: '10' } }, 'sandbox.time: '],
    [{ task: 'program', sandbox: { memory: '512 MB', cores: 2 } }, 'sandbox.cores: unknown field'],
    [{ task: 'choice' }, 'tokenizer: missing; task choice asks for the chance of tokens'],
    [{ metric: 'accuracy' }, 'metric: task answer has exact_match'],
    [
      { task: 'text', tokenizer: { file: 't', prefix: 'x' }, template: 'chat' },
      'template: task text asks for the chance of text as it stands',
    ],
    [{ system: 'Be brief.' }, 'system: belongs to template chat'],
    [{ slices: ['a', 'a'] }, 'slices.1: "a" is there twice'],
    [{ margin: 0 }, 'margin: '],
    [{ risk: { false_block: 0 } }, 'risk.false_block: '],
    [{ looks: 0 }, 'looks: '],
  ])('%j', (change, problem) => {
    expect(() => parseEvaluateSpec({ ...LEAST, ...change }, 'evaluate.yaml')).toThrow(`evaluate.yaml: ${problem}`)
  })
})
