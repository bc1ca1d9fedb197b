// Watching over a real socket: what happened while a client was away comes when it is back, once.

import { appendEvents } from '@ironlaw/store'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS, runRequest } from '../../test/api-bed.ts'
import { issueToken } from '../access/tokens.ts'
import { sparePort } from '../../test/spare-port.ts'

let bed: ApiBed
let address: string
beforeAll(async () => {
  bed = await apiBed()
  address = await bed.api.listen({ host: '127.0.0.1', port: await sparePort() })
}, BED_TIMEOUT_MS)
afterAll(() => bed.close())

type Frame = {
  readonly id: string
  readonly event: string
  readonly data: { readonly stream: string; readonly body: { readonly name?: string } }
}

async function* frames(path: string, last?: string): AsyncGenerator<Frame> {
  const headers = {
    authorization: `Bearer ${bed.tokens.viewer}`,
    accept: 'text/event-stream',
    ...(last !== undefined && { 'last-event-id': last }),
  }
  const answer = await fetch(`${address}${path}`, { headers })
  expect([answer.status, answer.headers.get('content-type'), answer.headers.has('x-request-id')]).toEqual([200, 'text/event-stream', true])
  let rest = ''
  for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks.filter((each) => !each.startsWith(':'))) {
      const [id = '', event = '', data = ''] = block.split('\n').map((line) => line.replace(/^\w+: /, ''))
      yield { id, event, data: JSON.parse(data) }
    }
  }
}

async function takeFrames(from: AsyncGenerator<Frame>, count: number): Promise<readonly Frame[]> {
  const seen: Frame[] = []
  for await (const frame of from) if (seen.push(frame) === count) break
  return seen
}

const make = (name: string) => bed.call({ method: 'POST', url: '/v1/runs', as: bed.tokens.operator, body: runRequest({ name }) })

test('a client that comes back has missed nothing and sees nothing twice', async () => {
  const watching = takeFrames(frames('/v1/events'), 2)
  await new Promise((resolve) => setTimeout(resolve, 500))
  await make('watched-1')
  await make('watched-2')
  const first = await watching
  expect(first.map(({ event, data }) => [event, data.body.name])).toEqual([
    ['run-created', 'watched-1'],
    ['run-created', 'watched-2'],
  ])
  await make('watched-3')
  const resuming = takeFrames(frames('/v1/events', first[0]?.id), 3)
  await make('watched-4')
  expect((await resuming).map(({ data }) => data.body.name)).toEqual(['watched-2', 'watched-3', 'watched-4'])
})

test('one run is watched from its beginning', async () => {
  const { id } = await bed.newRun()
  const seen = await takeFrames(frames(`/v1/runs/${id}/events`), 2)
  expect(seen.map(({ event }) => event)).toEqual(['run-created', 'attempt-created'])
  expect((await takeFrames(frames(`/v1/runs/${id}/events`, seen[0]?.id), 1)).map(({ event }) => event)).toEqual(['attempt-created'])
})

test('a cursor that was never given out is refused before anything is streamed', async () => {
  const answer = await fetch(`${address}/v1/events`, {
    headers: { authorization: `Bearer ${bed.tokens.viewer}`, accept: 'text/event-stream', 'last-event-id': "1'; drop" },
  })
  expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'IL_INVALID' }])
})

/** Events as fast as they can be written, until the stream ends; how long that took. */
async function endedUnderTraffic(token: string, meanwhile: () => Promise<unknown>): Promise<number> {
  const answer = await fetch(`${address}/v1/events`, { headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' } })
  const state = { over: false }
  const reading = (async () => {
    for await (const _ of answer.body ?? []);
  })().finally(() => (state.over = true))
  await meanwhile()
  const from = performance.now()
  for (let at = 1; !state.over && performance.now() - from < 10_000; at += 1) {
    await appendEvents(bed.database, 'run/other', [{ kind: 'busy-fleet', actor: 'x', at, body: {} }])
    // The database is in this process: sockets and timers get their turn.
    await new Promise((resolve) => setImmediate(resolve))
  }
  await answer.body?.cancel().catch(() => undefined)
  await reading.catch(() => undefined)
  return performance.now() - from
}

test('a revoked token loses its stream within seconds, whatever the traffic', async () => {
  const { id, secret } = await issueToken(bed.database, { name: 'spy', role: 'viewer', actor: 'test', at: 1 })
  const took = await endedUnderTraffic(secret, () => bed.call({ method: 'DELETE', url: `/v1/tokens/${id}`, as: bed.tokens.admin }))
  expect(took).toBeLessThan(5000)
})

test('a token that lost its role loses its stream as well', async () => {
  const { id, secret } = await issueToken(bed.database, { name: 'demoted', role: 'operator', actor: 'test', at: 1 })
  const demote = () => bed.database.updateTable('principals').set({ role: 'gateway', grants: '[]' }).where('id', '=', id).execute()
  expect(await endedUnderTraffic(secret, demote)).toBeLessThan(5000)
})

test('closing the server ends the watch', async () => {
  const watching = takeFrames(frames('/v1/events'), 1)
  await new Promise((resolve) => setTimeout(resolve, 300))
  await bed.api.close()
  expect(await watching).toEqual([])
})
