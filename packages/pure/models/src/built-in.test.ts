import { expect, test } from 'vitest'
import { builtInModel, builtInModels, suggestedModels } from './built-in.ts'

for (const [typed, name] of [
  ['meta-llama/Llama-3.1-70B', 'meta-llama/Llama-3.1-70B'],
  ['llama-3.1-70b', 'meta-llama/Llama-3.1-70B'],
  ['Meta-Llama-3.1-70B-Instruct', 'meta-llama/Llama-3.1-70B'],
  ['somebody-else/Llama-3.1-70B', 'meta-llama/Llama-3.1-70B'],
  ['LLAMA 3.1 70B', 'meta-llama/Llama-3.1-70B'],
  ['gpt2', 'openai-community/gpt2'],
  ['GPT-2', 'openai-community/gpt2'],
  ['opt-1.3b', 'facebook/opt-1.3b'],
  ['opt-13b', 'facebook/opt-13b'],
  ['gpt-3', 'openai/gpt-3-175b'],
  ['ViT-B/16', 'google/vit-base-patch16-224'],
  ['deepseek-r1', 'deepseek-ai/DeepSeek-R1'],
  ['MobileNetV2', 'google/mobilenet_v2_1.0_224'],
] as const)
  test(`"${typed}" is ${name}`, () => expect(builtInModel(typed)?.name).toBe(name))

test('an unknown name finds nothing, and something near', () => {
  expect(builtInModel('llama-3.1-71b')).toBeUndefined()
  expect(suggestedModels('llama-3.1-71b')).toContain('meta-llama/Llama-3.1-70B')
  expect(suggestedModels('mixtral').join()).toContain('mistralai/Mixtral-8x')
})

test('no two models answer to one name', () => {
  const owners = new Map<string, string>()
  const clashes = builtInModels.flatMap((model) =>
    [model.name, ...model.aliases].flatMap((name) => {
      const owner = owners.get(name.toLowerCase()) ?? model.name
      owners.set(name.toLowerCase(), owner)
      return owner === model.name && builtInModel(name) === model ? [] : [`${name}: ${owner}, ${model.name}`]
    }),
  )
  expect(clashes).toEqual([])
})

test('every count has a source and a date', () => {
  for (const { parameters } of builtInModels) {
    expect(parameters.source.ref).not.toBe('')
    expect(parameters.source.date).toMatch(/^20\d\d-\d\d-\d\d$/)
  }
})
