// A candidate against a finished evaluation: it stops when its verdict is sure.

import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEvaluateSpec } from '@ironlaw/contracts/evaluate-spec'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readEvaluation } from './evaluation-files.ts'
import { runEvaluation } from './run-evaluation.ts'

const ITEMS = 400

let folder = ''
const ending: (() => void)[] = []
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ironlaw-stages-'))))
afterEach(() => {
  for (const end of ending.splice(0)) end()
  rmSync(folder, { recursive: true })
})

/** A model that is wrong on some items, by their number; from `failsFrom` requests on the server refuses. */
async function startModel(isWrong: (item: number) => boolean, failsFrom = Infinity) {
  const asked: number[] = []
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const body = (await request.toArray()).join('')
      if (request.method === 'GET')
        return void response.writeHead(request.url === '/v1/models' ? 200 : 404).end('{"data":[{"id":"chat","max_model_len":100}]}')
      if (asked.length >= failsFrom) return void response.writeHead(400).end('{}')
      const { prompt }: { readonly prompt: string } = JSON.parse(body)
      asked.push(Number(prompt))
      response.writeHead(200).end(JSON.stringify({ choices: [{ text: isWrong(Number(prompt)) ? 'wrong' : 'right' }] }))
    }
    void answer()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ending.push(() => server.close())
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, asked }
}

type Model = Awaited<ReturnType<typeof startModel>>
type CandidateRun = {
  readonly model: Model
  readonly to: string
  readonly against?: string
  readonly spec?: object
  readonly concurrency?: number
}

async function evaluate({ model: { url }, to, against, spec = {}, concurrency = 8 }: CandidateRun) {
  const items = join(folder, 'items.jsonl')
  writeFileSync(
    items,
    Array.from({ length: ITEMS }, (_, item) => `${JSON.stringify({ id: `i${item}`, prompt: String(item), answers: ['right'] })}\n`).join(
      '',
    ),
  )
  const least = { apiVersion: 'ironlaw/v1', kind: 'Evaluate', name: 'sums', items: { file: 'items.jsonl' }, task: 'answer', margin: 0.1 }
  const parsed = parseEvaluateSpec({ ...least, engine: { url, concurrency }, ...spec }, 'spec')
  const base = against === undefined ? undefined : await readEvaluation(join(folder, against))
  const request = { spec: parsed, items, address: { url }, to: join(folder, to) }
  return await runEvaluation({ ...request, ...(base && { against: { base, across: [] } }) })
}

const old = (item: number): boolean => item % 20 === 0
const equal = (item: number): boolean => item % 20 === 7
const bad = (item: number): boolean => item % 3 === 0

test.each([
  ['as good', equal, 'as-good'],
  ['worse', bad, 'worse'],
  ['better', () => false, 'better'],
] as const)('stops when it is sure: %s', async (_, isWrong, verdict) => {
  const before = await evaluate({ model: await startModel(verdict === 'better' ? bad : old), to: 'before' })
  const model = await startModel(isWrong)
  const after = await evaluate({ model, to: 'after', against: 'before' })
  expect(before.sequential).toBeUndefined()
  expect(after.sequential).toMatchObject({ against: { model: 'chat', results: before.results }, margin: 0.1, verdict })
  const { asked = 0, difference } = after.sequential ?? {}
  expect(asked).toBeLessThan(ITEMS)
  expect(asked % (ITEMS / 5)).toBe(0)
  expect(difference?.low).toBeLessThan(difference?.value ?? 0)
  // What was in flight when it was sure is asked for nothing.
  expect(model.asked.length).toBeLessThan(asked + 8)
  expect((await readEvaluation(join(folder, 'after'))).results).toHaveLength(asked)
})

test('neither how many are asked at a time nor a kill changes the verdict and its items', async () => {
  await evaluate({ model: await startModel(old), to: 'before' })
  const straight = await evaluate({ model: await startModel(equal), to: 'straight', against: 'before', concurrency: 1 })
  const failing = await startModel(equal, 70)
  await expect(evaluate({ model: failing, to: 'out', against: 'before' })).rejects.toThrow('status 400')
  const model = await startModel(equal)
  const resumed = await evaluate({ model, to: 'out', against: 'before' })
  expect(resumed.sequential).toEqual(straight.sequential)
  expect(resumed.score).toEqual(straight.score)
  expect(model.asked.filter((item) => failing.asked.includes(item))).toEqual([])
  const ids = async (of: string) => (await readEvaluation(join(folder, of))).results.map(({ id }) => id)
  expect(await ids('out')).toEqual(await ids('straight'))
  // A random part of the items, not the first ones.
  expect(Math.max(...model.asked)).toBeGreaterThan(0.9 * ITEMS)
})

test('asks all items where no verdict is sure before', async () => {
  await evaluate({ model: await startModel(old), to: 'before' })
  const after = await evaluate({ model: await startModel(equal), to: 'after', against: 'before', spec: { margin: 0.001 } })
  expect(after.sequential).toMatchObject({ asked: ITEMS, stage: 5, verdict: 'undecided' })
})

test.each([
  ['another instrument', { system: 'Be brief.', template: 'chat' }, /different instruments: template/],
  ['repeats', { repeats: 2 }, /--against: the spec repeats all items 2 times/],
])('refuses %s', async (_, spec, problem) => {
  await evaluate({ model: await startModel(old), to: 'before' })
  await expect(evaluate({ model: await startModel(equal), to: 'after', against: 'before', spec })).rejects.toThrow(problem)
})

test('refuses to be judged against one that stopped', async () => {
  await evaluate({ model: await startModel(old), to: 'before' })
  const { sequential } = await evaluate({ model: await startModel(equal), to: 'after', against: 'before' })
  await expect(evaluate({ model: await startModel(old), to: 'third', against: 'after' })).rejects.toThrow(
    `sums of chat stopped after ${sequential?.asked} of 400 items, as its verdict against chat was sure: it decides nothing else`,
  )
})
