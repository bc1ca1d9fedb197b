// What people do with the official client, through a gateway to real engines.

import assert from 'node:assert/strict'
import OpenAI from 'openai'
import { type Deployment, MODEL } from './deployment.ts'
import { KEY } from '../../../packages/effects/gateway/test/setting.ts'

const messages = [{ role: 'user' as const, content: 'Hi' }]

export async function testOfficialClient(deployment: Deployment): Promise<readonly string[]> {
  const [gateway] = deployment.gateways
  const baseURL = `${gateway?.url}/v1`
  const client = new OpenAI({ baseURL, apiKey: KEY, maxRetries: 0 })
  const body = { model: MODEL, messages, max_tokens: 20, temperature: 0, seed: 1 }

  const whole = await client.chat.completions.create(body)
  let text = ''
  let usage: OpenAI.CompletionUsage | null | undefined
  for await (const chunk of await client.chat.completions.create({ ...body, stream: true, stream_options: { include_usage: true } })) {
    text += chunk.choices[0]?.delta.content ?? ''
    usage = chunk.usage ?? usage
  }
  assert.equal(text, whole.choices[0]?.message.content)
  assert.equal(usage?.completion_tokens, whole.usage?.completion_tokens)

  const completion = await client.completions.create({ model: MODEL, prompt: 'Once', max_tokens: 5, logprobs: 2 })
  assert.equal(completion.choices[0]?.logprobs?.tokens?.length, completion.usage?.completion_tokens)
  const { data } = await client.embeddings.create({ model: MODEL, input: ['one', 'two'] })
  assert.equal(data.length, 2)
  assert.deepEqual(
    (await client.models.list()).data.map(({ id }) => id),
    [MODEL],
  )

  await assert.rejects(new OpenAI({ baseURL, apiKey: 'sk-wrong', maxRetries: 0 }).models.list(), OpenAI.AuthenticationError)
  await assert.rejects(client.chat.completions.create({ ...body, model: 'other' }), OpenAI.NotFoundError)
  await assert.rejects(client.chat.completions.create({ ...body, temperature: 9 }), OpenAI.BadRequestError)
  await assert.rejects(
    client.chat.completions.create({ ...body, messages: [{ role: 'user', content: 'long '.repeat(60) }] }),
    (error: unknown) => error instanceof OpenAI.BadRequestError && error.code === 'context_length_exceeded',
  )

  const leaving = await client.chat.completions.create({ ...body, max_tokens: 100, stream: true })
  for await (const _ of leaving) break
  const began = performance.now()
  while ((await countRunning(deployment)) > 0) assert.ok(performance.now() - began < 10_000, 'an aborted stream still runs after 10 s')
  return [
    'official client: chat whole and streamed (the same text), completions with logprobs, embeddings, models',
    'official client: 401, 404, 400 and context_length_exceeded as its own error classes; an abort freed the engine',
  ]
}

async function countRunning(deployment: Deployment): Promise<number> {
  const counts = await Promise.all(
    deployment.engines.map(async ({ url }) => {
      const text = await (await fetch(`${url}/metrics`)).text()
      return Number(/^vllm:num_requests_running\{[^}]*\} (\d+)/m.exec(text)?.[1])
    }),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}
