// Lineage against a real receiver that fails in every way that HTTP has, and control planes that come and go.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { addEdges, appendEvents, applyUnderLease, createRun, type Database, leaseDue, registerArtifact, runStream } from '@ironlaw/store'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BED_TIMEOUT_MS } from '../../test/api-bed.ts'
import { emptiedDatabase } from '../../test/emptied-database.ts'
import { type LineageSending, startLineageSending } from './lineage-sending.ts'
import { lineageTarget } from './lineage-target.ts'
import { type RunEvent, runIdOf } from './run-events.ts'

/** What the receiver does with a request. 'lost': it takes the event, and its answer never arrives. */
type Act = 'take' | 'lost' | 'hang' | 'close' | 'half' | 400 | 404 | 500 | 503

let database: Database
let receiver: Server
let url = ''
let acts: Act[] = []
let always: Act = 'take'
let taken: { readonly event: RunEvent; readonly headers: IncomingMessage['headers'] }[] = []
let asked = 0
let problems: string[] = []
let started: LineageSending[] = []

beforeEach(async () => {
  database = await emptiedDatabase()
  ;[acts, always, taken, asked, problems, started] = [[], 'take', [], 0, [], []]
  receiver = createServer((request, response) => void receive(request, response))
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/api/v1/lineage`
}, BED_TIMEOUT_MS)
afterEach(async () => {
  await Promise.all(started.map((sending) => sending.close()))
  receiver.closeAllConnections()
  receiver.close()
})

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await Array.fromAsync(request)).toString('utf8')
  asked += 1
  const act = acts.shift() ?? always
  if (act === 'take' || act === 'lost') taken.push({ event: JSON.parse(body), headers: request.headers })
  if (act === 'take') response.writeHead(201).end()
  else if (act === 'half') response.writeHead(200, { 'content-length': 10 }).write('half', () => request.socket.destroy())
  else if (typeof act === 'number') response.writeHead(act).end('no')
  else if (act !== 'hang') request.socket.destroy()
}

const eventually = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 8000, interval: 10 })

const ANSWER_MS = 500

function start(now = (): number => 1000): LineageSending {
  const sending = startLineageSending({
    database,
    target: lineageTarget(url, 'word'),
    storage: 's3://bucket/artifacts',
    holder: `plane-${started.length}`,
    now,
    logProblem: (problem) => problems.push(problem),
    pace: { look_ms: 5, retry_ms: { first: 1, most: 8 }, answer_ms: ANSWER_MS },
  })
  started.push(sending)
  return sending
}

const happened = (kind: string, body = {}) => ({ kind, actor: 'test', at: 1000, body })

async function newRun(id: string): Promise<void> {
  const plan = { id: 'plan-1', kind: 'Job', body: {} }
  const program = { argv: ['train'], directory: '.', environment: {} }
  await createRun(database, { id, name: 'tiny', project: 'p', plan, spec: {}, program }, happened('run-created'))
}

const runs = (id: string, attempt = 1): Promise<void> =>
  appendEvents(database, runStream(id), [happened('run-waits'), happened('attempt-started', { attempt })])

async function ends(id: string, state: 'succeeded' | 'failed' | 'cancelled'): Promise<void> {
  const due = await leaseDue(database, { holder: 'test', at: 2000, lease_s: 0, limit: 1000 })
  const token = due.find(({ run }) => run.id === id)?.token ?? 0
  const change = { at: 1000, state, events: [happened(`run-${state}`)] } as const
  expect(await applyUnderLease(database, { run_id: id, token }, change)).toBe('applied')
}

const makes = (id: string, run?: string, name?: string) =>
  registerArtifact(
    database,
    {
      project: 'p',
      id,
      type: 'model',
      bytes: 7,
      files: 1,
      leaves: 1,
      facts: {},
      ...(run !== undefined && { made_by: run }),
      ...(name !== undefined && { name }),
    },
    { actor: 'test', at: 1000 },
  )

const receivedEvents = (): readonly string[] =>
  taken.map(({ event: { eventType, run, outputs } }) =>
    [eventType, run.facets.ironlaw_plan.run, ...outputs.map(({ name }) => name)].join(' '),
  )

/** At least once: what arrived twice in a row counts once. */
const receivedOnce = (): readonly string[] => receivedEvents().filter((each, index, all) => each !== all[index - 1])

test('a run is reported from its start to what is registered after its end', async () => {
  await makes('art-a', undefined, 'corpus')
  await newRun('r1')
  await addEdges(database, { run_id: 'r1', project: 'p', artifacts: ['art-a'], how: 'used', at: 1000 })
  await runs('r1')
  const sending = start()
  await eventually(() => expect(receivedEvents()).toEqual(['START r1']))
  await makes('art-b', 'r1', 'tiny')
  await runs('r1', 2)
  await ends('r1', 'succeeded')
  await eventually(() => expect(receivedEvents()).toEqual(['START r1', 'RUNNING r1', 'COMPLETE r1 p/tiny']))
  await makes('art-c', 'r1')
  await eventually(() => expect(receivedEvents().at(-1)).toBe('OTHER r1 p/art-c'))
  await sending.close()
  for (const { event, headers } of taken) {
    expect(headers).toMatchObject({ 'content-type': 'application/json', authorization: 'Bearer word' })
    expect(event).toMatchObject({ run: { runId: runIdOf('r1') }, job: { namespace: 'p', name: 'tiny' } })
    expect(event.inputs).toMatchObject([{ namespace: 's3://bucket/artifacts', name: 'p/corpus' }])
  }
  expect(problems).toEqual([])
})

test('a receiver that fails in every way loses nothing and keeps the order, also across restarts', async () => {
  acts = [500, 'hang', 'close', 'half', 'lost', 'take', 503, 'lost', 'close', 404, 'take', 'lost', 'hang', 'half']
  const expected: string[] = []
  for (const id of ['r1', 'r2', 'r3']) {
    await newRun(id)
    await runs(id)
    await makes(`art-${id}`, id)
    await ends(id, 'failed')
    expected.push(`START ${id}`, `FAIL ${id} p/art-${id}`)
  }
  for (let last = 0; acts.length > 0; last = asked) {
    const sending = start()
    await eventually(() => expect(asked).toBeGreaterThan(last))
    await sending.close()
  }
  const sending = start()
  await eventually(() => expect(receivedOnce()).toEqual(expected))
  await sending.close()
  const before = asked
  // Nothing is told again to a control plane that starts where the last one stopped.
  await newRun('r4')
  await ends('r4', 'cancelled')
  const next = start()
  await eventually(() => expect(receivedOnce()).toEqual([...expected, 'START r4', 'ABORT r4']))
  await next.close()
  expect(asked).toBe(before + 2)
})

test('while the receiver is away the database works, one problem is logged, and the end of the process does not wait', async () => {
  always = 'hang'
  await newRun('r1')
  await runs('r1')
  const sending = start()
  await eventually(() => expect(problems).toHaveLength(1))
  for (let number = 2; number < 50; number++) {
    await newRun(`r${number}`)
    await runs(`r${number}`)
  }
  await eventually(() => expect(asked).toBeGreaterThan(2))
  expect(problems).toEqual([`lineage cannot be sent to ${url}: it did not answer within 0.5 s; trying again`])
  const began = performance.now()
  await sending.close()
  expect(performance.now() - began).toBeLessThan(ANSWER_MS)
  always = 'take'
  const again = start()
  await eventually(() => expect(receivedEvents()).toEqual(Array.from({ length: 49 }, (_, index) => `START r${index + 1}`)))
  await again.close()
})

test('an event that the receiver finds unacceptable is logged and left out, others are not held up', async () => {
  acts = [400]
  await newRun('r1')
  await runs('r1')
  await ends('r1', 'succeeded')
  const sending = start()
  await eventually(() => expect(receivedEvents()).toEqual(['COMPLETE r1']))
  await sending.close()
  expect(problems).toEqual([`${url} does not accept the START of run r1, which is left out: it answered 400`])
})

test('of two control planes one sends; the other takes over when the term of the first has passed', async () => {
  await newRun('r1')
  await runs('r1')
  const first = start()
  await eventually(() => expect(receivedEvents()).toEqual(['START r1']))
  let at = 1000
  const second = start(() => at)
  await ends('r1', 'succeeded')
  await eventually(() => expect(receivedEvents()).toEqual(['START r1', 'COMPLETE r1']))
  // The first does not write that it is there: its clock stands still, as if it slept.
  at = 1031
  await newRun('r2')
  await runs('r2')
  await eventually(() => expect(receivedEvents()).toContain('START r2'))
  await Promise.all([first.close(), second.close()])
  expect(receivedOnce()).toEqual(['START r1', 'COMPLETE r1', 'START r2'])
})

test.each(['lineage.example.org', 'ftp://host/a', 'http://host.example.org/api', 'https://host/?ca=/absent'])('%s is refused', (text) => {
  expect(() => lineageTarget(text)).toThrow(`--openlineage ${text}: `)
})

test('a receiver is named without what is secret in its address', () => {
  expect(lineageTarget('https://ada:word@host/api?key=secret')).toMatchObject({ name: 'https://host/api' })
})
