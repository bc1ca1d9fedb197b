import { builtInCatalog } from '@ironlaw/catalog'
import type { Known } from '@ironlaw/units'
import { expect, test } from 'vitest'
import { stateOf } from '../address.ts'
import { SERVING } from './question.ts'
import { servingPlanner } from './serving-answer.ts'

const answerTo = (query: string) => {
  const { why: _, export: __, night: ___, ...question } = stateOf(SERVING, new URLSearchParams(query))
  return servingPlanner(builtInCatalog)(question)
}

const input = (known: Known | undefined, name: string): number => {
  const found = known?.by.kind === 'law' ? known.by.from[name] : undefined
  return found !== undefined && 'value' in found ? found.value : Number.NaN
}

test('what is derived is what the page shows, and its inputs give it', () => {
  const { looked, derivations } = answerTo('accelerator=h100-sxm')
  if (!looked) throw new Error('the question of the page has a plan')
  const { prediction, devices } = looked
  const of = (name: string): number => derivations[name]?.value ?? Number.NaN
  expect(of('devices')).toBe(devices)
  expect(of('money an hour')).toBeCloseTo(prediction.usd_per_hour ?? 0, 9)
  const perMillion = derivations['money per million tokens']
  expect((1e6 * input(perMillion, 'cost')) / input(perMillion, 'tokens')).toBeCloseTo(prediction.usd_per_million_tokens ?? 0, 9)
  const energy = derivations['energy of a token']
  expect(input(energy, 'energy') / input(energy, 'tokens')).toBeCloseTo(prediction.joules_per_token, 9)
  for (const [name, value] of [
    ['first token', prediction.ttft_s],
    ['each further token', prediction.tpot_s],
  ] as const) {
    const [floor, above] = [input(derivations[name], 'floor'), input(derivations[name], 'above')]
    expect(floor).toBeGreaterThan(0)
    expect(above).toBeGreaterThan(0)
    expect(floor + above).toBeCloseTo(value, 12)
  }
  const { requests, capacity, spare, perReplica } = Object.fromEntries(
    ['requests', 'capacity', 'spare', 'perReplica'].map((name) => [name, input(derivations['devices'], name)]),
  )
  if (looked.pools.length === 1) expect((Math.ceil((requests ?? 0) / (capacity ?? 1)) + (spare ?? 0)) * (perReplica ?? 0)).toBe(devices)
})

test('two pools are distinguished', () => {
  const { looked, derivations } = answerTo('accelerator=h100-sxm&split=only')
  expect(looked?.pools).toHaveLength(2)
  expect(input(derivations['devices'], 'prefill replicas')).toBe(looked?.pools[0]?.replicas)
})
