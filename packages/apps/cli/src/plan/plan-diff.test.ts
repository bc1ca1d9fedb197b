import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtInModel } from '@ironlaw/models'
import { afterAll, expect, test } from 'vitest'
import { planTrainingAnswer } from './plan.ts'
import { planDiffAnswer } from './plan-diff.ts'

const directory = mkdtempSync(join(tmpdir(), 'ironlaw-plan-diff-'))
afterAll(() => rmSync(directory, { recursive: true }))

function specFile(name: string, fleet: object, changes: object = {}): string {
  const file = join(directory, `${name}.json`)
  const spec = {
    apiVersion: 'ironlaw/v1',
    kind: 'Train',
    name: 'diff',
    model: 'Llama-3.1-8B',
    tokens: '300B',
    sequence: '4k',
    globalBatch: 1024,
  }
  writeFileSync(file, JSON.stringify({ ...spec, fleet: { accelerator: 'a100', count: 16, ...fleet }, ...changes }))
  return file
}

test('plans that differ only in network and price say so, with the result', async () => {
  const [fast, slow] = [specFile('fast', {}), specFile('slow', { link: '100 Gb/s per node' }, { price: '$2/h' })]
  const answer = await planDiffAnswer(fast, slow)
  expect(answer.json).toMatchObject({
    assumptions: [
      { field: 'fleet.link', left: '200 Gb/s per accelerator (assumed)', right: '12.5 Gb/s per accelerator (given)' },
      { field: 'price', right: '$2.00/h per accelerator (given)' },
    ],
  })
  const text = answer.text()
  for (const figure of ['whole run', 'MFU', 'memory per device', 'cost', 'energy']) expect(text).toContain(figure)
  expect(answer.notes).toEqual([])
})

test('a spec and the plan made from it do not differ', async () => {
  const spec = specFile('same', {})
  const plan = join(directory, 'same.plan.json')
  writeFileSync(plan, JSON.stringify((await planTrainingAnswer(spec, { top: '1' })).json))
  const answer = await planDiffAnswer(spec, plan)
  expect(answer.json).toMatchObject({ decisions: [], assumptions: [], causes: [] })
  expect(answer.text()).toContain('are the same plan')
})

test('a bare plan does not include its network, and the comparison says so', async () => {
  const spec = specFile('alone', {})
  const { plans } = (await planTrainingAnswer(spec, { top: '1' })).json as { readonly plans: readonly unknown[] }
  const alone = join(directory, 'alone.plan.json')
  writeFileSync(alone, JSON.stringify(plans[0]))
  expect((await planDiffAnswer(alone, spec)).notes).toEqual([expect.stringContaining('alone.plan.json does not say which network')])
})

test('a model next to its spec is found from any directory, and the plan keeps the path as written', async () => {
  mkdirSync(join(directory, 'models'), { recursive: true })
  writeFileSync(join(directory, 'models', 'config.json'), JSON.stringify(builtInModel('Llama-3.1-8B')?.config))
  for (const model of ['models', './models/config.json']) {
    const { plans } = (await planTrainingAnswer(specFile('beside', {}, { model }), { top: '1' })).json as {
      readonly plans: readonly { readonly model: { readonly name: string } }[]
    }
    expect(plans[0]?.model.name).toBe(model === 'models' ? 'models/config.json' : model)
  }
})
