import { startEngineHost } from '@ironlaw/engines'
import { SimulatedEngine } from '@ironlaw/engines/simulated'
import { expect, test } from 'vitest'
import { expositionProblems } from '@ironlaw/contracts/exposition'
import { startEngineStub } from '../../../packages/effects/gateway/test/engine-stub.ts'
import { chatBody, post, snapshotOf, startWithSnapshot } from '../../../packages/effects/gateway/test/setting.ts'

test('the metrics of a gateway are described, every one', async () => {
  const stub = await startEngineStub()
  const gateway = await startWithSnapshot(snapshotOf([stub.url]))
  try {
    for (const prompt of ['tokens=2', 'status=400', 'status=500']) await (await post(gateway, chatBody(prompt))).text()
    const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
    expect(expositionProblems(text)).toEqual([])
    expect(text).toContain('ironlaw_gateway_replica_answers_total{pool="main",replica="r0",outcome="refused"} 1\n')
    expect(text).toContain('ironlaw_gateway_replica_answers_total{pool="main",replica="r0",outcome="answered"} 1\n')
  } finally {
    await gateway.stop({ drain_s: 0 })
    await stub.stop()
  }
})

test('so are those of an engine host, with a model of an odd name', async () => {
  const model = { id: 'a "model"\\', context_tokens: 128, slots: 2 }
  const host = await startEngineHost({ engine: new SimulatedEngine({ model, step_s: () => 0.001, prefill_s_per_token: 1e-5 }) })
  try {
    const body = JSON.stringify({ model: model.id, prompt: 'a', max_tokens: 2 })
    await (await fetch(`${host.url}/v1/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).text()
    expect(expositionProblems(await (await fetch(`${host.url}/metrics`)).text())).toEqual([])
  } finally {
    await host.stop({ drain_s: 0 })
  }
})

test.each([
  ['a 1\n', 'not described'],
  ['# HELP a x\n# TYPE a counter\na 1\n', 'without _total'],
  ['# HELP a x\n# TYPE a gauge\na 1\na 2\n', 'twice'],
  ['# HELP a x\n# TYPE a gauge\na{b="c} 1\n', 'not a sample'],
  ['# HELP a x\n# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n', 'falls'],
])('the check itself finds %j', (text, problem) => expect(expositionProblems(text).join()).toContain(problem))
