// Calibration against a control plane's answers: a finished run to learn from, and a measuring job whose last lines arrive late.

import { createServer } from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RUN } from '@ironlaw/contracts/api'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { sampleTrainingPlan } from '@ironlaw/contracts/sample-plan'
import { measureOnCluster } from './cluster-job.ts'
import { learnFrom } from './learn.ts'

const NAMES = ['IRONLAW_MEASURED', 'IRONLAW_API', 'IRONLAW_TOKEN'] as const
const before = NAMES.map((name) => [name, process.env[name]] as const)
let directory = ''
let answer: (path: string) => unknown = () => undefined

const server = createServer((request, response) => {
  const found = answer(request.url ?? '')
  const isText = typeof found === 'string'
  if (isText) response.setHeader('x-next-offset', String(found.length))
  response.statusCode = request.method === 'POST' ? 201 : 200
  response.setHeader('content-type', isText ? 'text/plain' : 'application/json')
  response.end(isText ? found : JSON.stringify(found))
})
/** Below the range of ephemeral ports. */
const PORT = 12_000 + (process.pid % 8000)

beforeAll(() => new Promise<void>((resolve) => server.listen(PORT, '127.0.0.1', resolve)))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ironlaw-api-'))
  process.env['IRONLAW_MEASURED'] = join(directory, 'measured')
  process.env['IRONLAW_API'] = `http://127.0.0.1:${PORT}`
  process.env['IRONLAW_TOKEN'] = 'a-token-of-the-test'
})

afterEach(() => {
  rmSync(directory, { recursive: true })
  for (const [name, value] of before)
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
})

const run = (state: string) =>
  RUN.parse({
    id: 'tiny-1',
    name: 'tiny',
    project: 'default',
    team: 'default',
    state,
    state_since_at: 1,
    why: '',
    plan: 'plan-1',
    shape: { nodes: 1, processesPerNode: 2, smaller: [] },
    argv: [],
    environment: [],
    attempt: 1,
    created_at: 1,
    created_by: 'test',
  })

const PLAN = sampleTrainingPlan({
  sequence: 128,
  globalBatch: 16,
  fleet: { devices: 2, perNode: 2 },
  prediction: { step_s: 1, step_low_s: 0.8, step_high_s: 1.3, causes_s: { products: 0.8, data: 0.15, optimizer: 0.05 } },
})

const step = (number: number) => ({
  step: number,
  at: number,
  seconds: 1.2,
  tokens: 1,
  world: 2,
  cursor: String(number),
  attempt: 1,
  phases_s: { compute: 0.96, communication: 0.15, optimizer: 0.05 },
})

test('a finished run is read page by page, counts once, and its corrections are stored', async () => {
  answer = (path) => {
    if (path.startsWith('/v1/runs?')) return { items: [run('succeeded')], next: null }
    if (path.startsWith('/v1/plans/')) return { id: 'plan-1', kind: 'TrainingPlan', created_at: 1, body: PLAN }
    if (path.includes('/checkpoints')) return { items: [], next: null }
    const first = !path.includes('after=')
    return { items: Array.from({ length: 10 }, (_, at) => step(at + (first ? 1 : 11))), next: first ? 'ten' : null }
  }
  const [version, notes] = await learnFrom(['tiny'])
  expect(notes).toEqual([])
  expect(version.document.finished).toMatchObject([{ run: 'tiny-1', predicted_s: 1, measured_s: 1.2 }])
  const compute = version.document.catalog['accelerators']?.['h100-sxm']
  expect(compute).toMatchObject({ measured: { corrections: { 2: { compute: { factor: { is: '1.2' }, runs: { is: '1' } } } } } })
  await expect(learnFrom(['tiny'])).rejects.toThrow('nothing to learn from: tiny-1: counted already')
})

test('nothing is learned from a run that has not ended', async () => {
  answer = () => ({ items: [run('running')], next: null })
  await expect(learnFrom(['tiny'])).rejects.toThrow('running; only finished runs can be learned from')
})

test('the last lines of a measuring job may come after its end', async () => {
  const lines = ['{"measured": "copy", "bytes": 8, "ranks": 1, "seconds": {"a": [0.1]}}', '{"measured": "end", "rows": 1}']
  let asked = 0
  answer = (path) => {
    if (path.includes('/logs?')) {
      asked += 1
      const shown = asked === 1 ? lines.slice(0, 1) : asked === 3 ? lines.slice(1) : []
      return shown.map((line) => `ironlaw-measured ${line}\n`).join('')
    }
    return path.startsWith('/v1/runs?') ? { items: [run('succeeded')], next: null } : run('succeeded')
  }
  const job = { accelerator: 'h100-sxm', nodes: 1, processes: 1, arguments: [], environment: {} }
  const found = await Array.fromAsync(measureOnCluster({ api: process.env['IRONLAW_API'] ?? '', token: 'x' }, job))
  expect(found.map(({ measured }) => measured)).toEqual(['copy', 'end'])
})
