import { describe, expect, test } from 'vitest'
import { dataSpecDigest, parseDataSpec, stepNames } from './data-spec.ts'

const spec = (fields: object = {}) => ({
  apiVersion: 'ironlaw/v1',
  kind: 'Data',
  name: 'corpus',
  from: [{ name: 'web', files: 'web/*.jsonl' }],
  ...fields,
})

describe('a data spec', () => {
  test.each([
    ['a step of two kinds', { steps: [{ redact: {}, deduplicate: {} }] }, /steps\.0: exactly one step is expected here, found .*redact/],
    ['a step that is not there', { steps: [{ dedupe: {} }] }, /steps\.0\.dedupe: unknown field; .*deduplicate/],
    ['a step of no kind', { steps: [{}] }, /steps\.0: exactly one step is expected here, found none/],
    ['steps after tokens', { steps: [{ tokenize: { tokenizer: 't', separator: 'x' } }, { redact: {} }] }, /steps\.1: comes after tokenize/],
    [
      'two deduplications',
      { steps: [{ deduplicate: {} }, { deduplicate: {} }] },
      /steps\.1\.deduplicate: documents are deduplicated already/,
    ],
    [
      'a contract that is not first',
      { steps: [{ redact: {} }, { expect: {} }] },
      /steps\.1\.expect: the contract with the sources is the first step/,
    ],
    [
      'a sample of an unknown source',
      { steps: [{ sample: { books: 0.5 } }] },
      /steps\.0\.sample\.books: there is no source "books"; the sources are web/,
    ],
    [
      'a source twice',
      {
        from: [
          { name: 'a', files: 'x' },
          { name: 'a', files: 'y' },
        ],
      },
      /from\.1\.name: "a" is there twice/,
    ],
    ['a source without files', { from: [{ name: 'a' }] }, /from\.0\.files: either files or an artifact is needed/],
    [
      'synthetic text without a generation',
      { from: [{ name: 'a', files: 'x', origin: 'synthetic' }] },
      /from\.0\.generation: is 0 for real/,
    ],
    [
      'a broken pattern',
      { steps: [{ expect: { fields: { url: { matches: '(' } } } }] },
      /steps\.0\.expect\.fields\.url\.matches: is not a regular expression/,
    ],
    ['keeping nothing in particular', { steps: [{ keep: {} }] }, /steps\.0\.keep\.quality: languages or quality is needed/],
  ])('%s is refused with the path to the field', (_, fields, message) => {
    expect(() => parseDataSpec(spec(fields), 'data.yaml')).toThrow(message)
  })

  test('has defaults for what is left out', () => {
    expect(parseDataSpec(spec({ steps: [{ deduplicate: {} }] }), 'data.yaml')).toMatchObject({
      from: [{ name: 'web', text: 'text', origin: 'real', generation: 0 }],
      steps: [{ deduplicate: { similarity: 0.8, words: 5 } }],
      seed: 1,
    })
  })

  test('has the same digest on any number of workers', () => {
    const [one, many] = [parseDataSpec(spec(), 'a'), parseDataSpec(spec({ workers: 64 }), 'b')]
    expect(dataSpecDigest(one)).toBe(dataSpecDigest(many))
    expect(dataSpecDigest(parseDataSpec(spec({ seed: 2 }), 'c'))).not.toBe(dataSpecDigest(one))
  })

  test('names steps of one kind apart', () => {
    const { steps } = parseDataSpec(spec({ steps: [{ redact: {} }, { deduplicate: {} }, { redact: {} }] }), 'data.yaml')
    expect(stepNames(steps)).toEqual(['redact', 'deduplicate', 'redact-2'])
  })
})
