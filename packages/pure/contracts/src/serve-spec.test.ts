import { expect, test } from 'vitest'
import { parseServeSpec, serveSpecSchema } from './serve-spec.ts'

const SPEC = {
  apiVersion: 'ironlaw/v1',
  kind: 'Serve',
  name: 'chat',
  model: 'Llama-3.1-70B',
  traffic: { requests_per_s: 20, input_tokens: 1200, output_tokens: 300 },
  objectives: { ttft: '800 ms', tpot: '50 ms' },
}

test('what is left out has a default', () => {
  const { engine, spare, goal, objectives, traffic } = parseServeSpec(SPEC, 'serve.yaml')
  expect({ engine, spare, goal }).toEqual({ engine: 'vllm', spare: 1, goal: 'cost' })
  expect(objectives.percentile).toBe('p90')
  expect(traffic.cachedPrompt).toBe(0)
})

test.each([
  [{ ...SPEC, objectives: { ttft: '800', tpot: '50 ms' } }, 'objectives.ttft'],
  [{ ...SPEC, trafic: {} }, 'did you mean traffic?'],
  [{ ...SPEC, traffic: { ...SPEC.traffic, requests_per_s: 0 } }, 'traffic.requests_per_s'],
  [{ ...SPEC, model: undefined }, 'model: missing'],
  [{ ...SPEC, traffic: { ...SPEC.traffic, daily: [0.5, 1] } }, 'traffic.daily'],
  [{ ...SPEC, speculation: { acceptance: 1 } }, 'speculation.acceptance'],
  [
    { ...SPEC, deploy: { program: ['engine'], scaling: { max: 8, tokens_per_s: 1, utilisation: 0.7 } } },
    'deploy.scaling.utilisation: unknown field; known are min, max, tokens_per_s, covered',
  ],
  [
    { ...SPEC, deploy: { program: ['engine'], scaling: { min: 9, max: 8, tokens_per_s: 1 } } },
    'deploy.scaling.min: must not be more than max',
  ],
])('a mistake is named with its place: case %#', (spec, expected) => {
  expect(() => parseServeSpec(spec, 'serve.yaml')).toThrow(expected)
})

test('the schema lets fields with a default be left out', () => {
  expect(serveSpecSchema().required).toEqual(['apiVersion', 'kind', 'name', 'model', 'traffic', 'objectives'])
})
