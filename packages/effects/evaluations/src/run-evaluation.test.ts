// Against the host of our engines, as `ironlaw engine` runs it, and against servers that misbehave.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEvaluateSpec } from '@ironlaw/contracts/evaluate-spec'
import { parseItemResults, parseItemTexts } from '@ironlaw/contracts/evaluation-items'
import { startEngineHost } from '@ironlaw/engines'
import { SimulatedEngine } from '@ironlaw/engines/simulated'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readEvaluation } from './evaluation-files.ts'
import { runEvaluation } from './run-evaluation.ts'

let folder = ''
const ending: (() => Promise<unknown>)[] = []
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ironlaw-evaluations-'))))
afterEach(async () => {
  for (const end of ending.splice(0)) await end()
  rmSync(folder, { recursive: true })
})

/** One token for each letter. */
function writeTokenizer(): string {
  const letters = [...' abcdefghijklmnopqrstuvwxyz.?']
  const vocab = Object.fromEntries(['<s>', ...letters].map((letter, index) => [letter, index]))
  const added_tokens = [{ id: 0, content: '<s>', special: true, single_word: false, lstrip: false, rstrip: false, normalized: false }]
  const file = join(folder, 'tokenizer.json')
  writeFileSync(file, JSON.stringify({ added_tokens, model: { type: 'BPE', vocab, merges: [] } }))
  return file
}

const choices = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `i${index}`,
    prompt: `what is ${'abcdefghij'[index % 10]}${'klmnopqrst'[Math.floor(index / 10) % 10]}?`,
    choices: [' this', ' that'],
    answer: index % 2,
    slices: { half: index % 2 === 0 ? 'even' : 'odd' },
  }))

function writeItems(items: readonly object[]): string {
  const file = join(folder, 'items.jsonl')
  writeFileSync(file, items.map((item) => `${JSON.stringify(item)}\n`).join(''))
  return file
}

function specOf(url: string, change: object = {}) {
  const least = { apiVersion: 'ironlaw/v1', kind: 'Evaluate', name: 'ab', items: { file: 'items.jsonl' }, task: 'choice', slices: ['half'] }
  return parseEvaluateSpec({ ...least, tokenizer: { file: 'tokenizer.json', prefix: '<s>' }, engine: { url }, ...change }, 'spec')
}

async function startSimulated(id = 'tiny'): Promise<string> {
  const engine = new SimulatedEngine({ model: { id, context_tokens: 256, slots: 4 }, step_s: () => 0, prefill_s_per_token: 0 })
  const host = await startEngineHost({ engine, max_queued: 64 })
  await host.warm()
  ending.push(() => host.stop())
  return host.url
}

/** A server between evaluation and engine that may fail a request; `asked` holds the prompts that went through. */
async function startBetween(url: string, answer: (count: number, response: ServerResponse, body: string) => boolean) {
  const asked: string[] = []
  let count = 0
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = (await request.toArray()).join('')
    if (request.method === 'POST' && answer((count += 1), response, body)) return
    if (request.method === 'POST') asked.push(body)
    const got = await fetch(`${url}${request.url}`, { method: request.method ?? 'GET', ...(body !== '' && { body }) })
    response.writeHead(got.status, { 'content-type': 'application/json' })
    response.end(await got.text())
  }
  const server = createServer((request, response) => void pass(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ending.push(() => new Promise((resolve) => server.close(resolve)))
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, asked }
}

test('texts are kept where asked for: what was asked, what is right and which choice was the likeliest', async () => {
  writeTokenizer()
  const request = { spec: specOf(await startSimulated()), items: writeItems(choices(6)), tokenizer: join(folder, 'tokenizer.json') }
  const address = { url: request.spec.engine.url ?? '' }
  const to = join(folder, 'kept')
  await runEvaluation({ ...request, address, to, keepTexts: true })
  const texts = parseItemTexts(readFileSync(join(to, 'texts.jsonl'), 'utf8'), 'texts.jsonl')
  const { results } = await readEvaluation(to)
  expect(texts.map(({ id }) => id)).toEqual(results.map(({ id }) => id))
  for (const [index, { right, said }] of texts.entries()) expect(said === right).toBe(results[index]?.score === 1)
  expect(texts[0]).toMatchObject({ prompt: 'what is ak?', right: ' this' })
  await runEvaluation({ ...request, address, to: join(folder, 'plain') })
  expect(readdirSync(join(folder, 'plain')).toSorted()).toEqual(['evaluation.json', 'results.jsonl'])
})

test('a choice is scored, sliced and written with its instrument; another model has the same instrument', async () => {
  const tokenizer = writeTokenizer()
  const items = writeItems(choices(40))
  const run = async (id: string) => {
    const url = await startSimulated(id)
    return await runEvaluation({ spec: specOf(url), items, tokenizer, address: { url }, to: join(folder, id) })
  }
  const [one, other] = [await run('one'), await run('other')]
  expect(one.items.count).toBe(40)
  expect(one.model).toEqual({ id: 'one' })
  expect(one.memory_bytes).toBeGreaterThan(2e7)
  expect(one.instrument).toMatchObject({ engine: 'ironlaw', context_tokens: 256, task: 'choice', metric: 'accuracy' })
  expect(one.slices.map(({ value, items: count }) => [value, count])).toEqual([
    ['even', 20],
    ['odd', 20],
  ])
  expect(one.score.low).toBeLessThan(one.score.value)
  expect(one.metrics['accuracy']).toEqual(one.score)
  expect(one.tokens_in).toBeGreaterThan(80 * 10)
  expect(other.instrument_digest).toBe(one.instrument_digest)
  expect(other.items.digest).toBe(one.items.digest)
  expect(readdirSync(join(folder, 'one')).toSorted()).toEqual(['evaluation.json', 'results.jsonl'])
  const read = await readEvaluation(join(folder, 'one'))
  expect(read.evaluation).toEqual(one)
  expect(read.results.map(({ id }) => id)).toEqual(Array.from({ length: 40 }, (_, index) => `i${index}`))
})

test('repeats of answers without chance do not differ', async () => {
  const url = await startSimulated()
  const answers = Array.from({ length: 6 }, (_, index) => ({
    id: `q${index}`,
    prompt: `say ${index}`,
    answers: ['a'],
    match: 'contains',
    most_tokens: 4,
  }))
  const spec = specOf(url, { task: 'answer', slices: [], repeats: 3 })
  const evaluation = await runEvaluation({ spec, items: writeItems(answers), address: { url }, to: join(folder, 'out') })
  expect(evaluation.repeats).toEqual({ count: 3, differing: 0 })
  expect(readdirSync(join(folder, 'out')).toSorted()).toEqual(['evaluation.json', 'results-2.jsonl', 'results-3.jsonl', 'results.jsonl'])
})

test.skipIf(spawnSync('bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status !== 0)(
  'programs are run with the tests of their items, each try with a seed of its own',
  async () => {
    const seeds: unknown[] = []
    const between = await startBetween(await startSimulated(), (_, response, body) => {
      const { prompt, seed } = JSON.parse(body)
      seeds.push(seed)
      // The second item is answered rightly by the second try alone.
      const text = prompt === 'one' || seed === 8 ? '    return 2 * x' : '    return x\n'
      return Boolean(response.writeHead(200).end(JSON.stringify({ choices: [{ text }] })))
    })
    const before = 'def double(x):\n'
    const items = writeItems(['one', 'two'].map((prompt) => ({ id: prompt, prompt, before, tests: 'assert double(2) == 4' })))
    const spec = specOf(between.url, { task: 'program', slices: [], repeats: 2, sampling: { temperature: 0.8, seed: 7 } })
    const evaluation = await runEvaluation({ spec, items, address: { url: between.url }, to: join(folder, 'out') })
    expect(seeds).toEqual([7, 7, 8, 8])
    expect(evaluation.score.value).toBe(0.5)
    expect(evaluation.metrics).toMatchObject({ 'pass@1': { value: 0.75 }, 'pass@2': { value: 1 }, timed_out: { value: 0 } })
    expect(evaluation.instrument.sandbox).toMatchObject({ interpreter: expect.stringMatching(/^CPython 3\./), time_s: 10, processes: 8 })
  },
  60_000,
)

test('a judge is corrected by labelled answers, and its taste for a place is measured', async () => {
  const model = await startBetween(await startSimulated(), (_, response, body) => {
    const { prompt } = JSON.parse(body)
    return Boolean(response.writeHead(200).end(JSON.stringify({ choices: [{ text: Number(prompt) % 4 === 0 ? 'bad' : 'good' }] })))
  })
  let judged = 0
  // Right where it reads "good", but for every tenth answer; the third item's reference misleads it where it stands last.
  const judge = await startBetween(await startSimulated('judge'), (_, response, body) => {
    const text: string = JSON.parse(body).messages[0].content
    judged += 1
    const isMisled = text.includes('[Question]\n3\n') && text.indexOf('[Reference') > text.indexOf('[Answer]')
    const isGood = text.includes('[Answer]\ngood') !== (isMisled || text.includes('x0'))
    return Boolean(response.writeHead(200).end(JSON.stringify({ choices: [{ message: { content: isGood ? 'Right.' : 'Wrong.' } }] })))
  })
  const labelledAs = (index: number) => [
    { answer: `good x${index % 10}`, label: 1 },
    { answer: `bad x${index % 10}`, label: 0 },
  ]
  const items = (labels: number) =>
    writeItems(
      Array.from({ length: 40 }, (_, index) => ({
        id: `j${index}`,
        prompt: String(index),
        reference: 'good',
        labelled: index < labels ? labelledAs(index) : [],
      })),
    )
  const spec = specOf(model.url, { task: 'judged', slices: [], judge: { url: judge.url } })
  const run = async (labels: number, to: string) =>
    await runEvaluation({ spec, items: items(labels), address: { url: model.url }, judge: { url: judge.url }, to: join(folder, to) })
  const evaluation = await run(40, 'out')
  expect(judged).toBe(2 * 40 + 2 * 80)
  expect(evaluation.score.value).toBeCloseTo(0.7375, 9)
  expect(evaluation.judge).toMatchObject({
    labelled: { right: 40, wrong: 40 },
    agreement: { value: expect.closeTo(0.8875, 3) },
    sensitivity: { value: expect.closeTo(0.8875, 3) },
    position: { value: expect.closeTo(3 / 120, 3) },
    corrected: { value: expect.closeTo(0.806, 2) },
  })
  expect(evaluation.instrument.judge).toMatchObject({ engine: 'ironlaw', model: 'judge' })
  expect(readFileSync(join(folder, 'out/labelled.jsonl'), 'utf8').trim().split('\n')).toHaveLength(80)
  const few = await run(10, 'few')
  expect(few.judge).toMatchObject({ refused: '10 right and 10 wrong answers are labelled; 20 of each are needed' })
  expect(few.judge?.corrected).toBeUndefined()
})

test('predictions need no engine; two models that predicted the same items can be compared', async () => {
  const predicted = (shift: number) =>
    writeItems(
      Array.from({ length: 60 }, (_, index) => ({ id: `p${index}`, label: index % 7, prediction: (index % 7) + shift, tolerance: 0.5 })),
    )
  const run = async (model: string, shift: number) => {
    const spec = parseEvaluateSpec(
      {
        apiVersion: 'ironlaw/v1',
        kind: 'Evaluate',
        name: 'load',
        items: { file: 'items.jsonl' },
        task: 'prediction',
        predictor: { model, program: 'by hand 1' },
      },
      'spec',
    )
    return await runEvaluation({ spec, items: predicted(shift), to: join(folder, model) })
  }
  const [one, other] = [await run('one', 0.25), await run('other', 1)]
  expect(one).toMatchObject({ model: { id: 'one' }, instrument: { engine: 'by hand 1', task: 'prediction' }, score: { value: 1 } })
  expect(one.metrics).toMatchObject({ mae: { value: 0.25 }, rmse: { value: 0.25 } })
  expect(other.score.value).toBe(0)
  expect(other.items.digest).toBe(one.items.digest)
  expect(other.instrument_digest).toBe(one.instrument_digest)
  expect((await readEvaluation(join(folder, 'other'))).results).toHaveLength(60)
})

describe('interruptions', () => {
  test('what was answered is not asked again, and a torn line is', async () => {
    const tokenizer = writeTokenizer()
    const items = writeItems(choices(30))
    const engine = await startSimulated()
    const broken = await startBetween(
      engine,
      (count, response) => count > 21 && Boolean(response.writeHead(400).end('{"error":"no more"}')),
    )
    const request = { items, tokenizer, to: join(folder, 'out') }
    const spec = specOf(broken.url, { engine: { url: broken.url, concurrency: 1 } })
    await expect(runEvaluation({ ...request, spec, address: { url: broken.url } })).rejects.toThrow(/item "i10": status 400: .*no more/)
    const partial = join(folder, 'out/unfinished/results.jsonl')
    writeFileSync(partial, `${readFileSync(partial, 'utf8')}{"id":"i10","sco`)
    const whole = await startBetween(engine, () => false)
    const resumed = await runEvaluation({ ...request, spec: specOf(whole.url), address: { url: whole.url } })
    expect(whole.asked).toHaveLength(40)
    expect(resumed.items.count).toBe(30)
    const straight = await runEvaluation({ ...request, spec: specOf(engine), address: { url: engine }, to: join(folder, 'straight') })
    const scoresIn = (directory: string) =>
      parseItemResults(readFileSync(join(directory, 'results.jsonl'), 'utf8'), 'results').map(({ id, score, values, output_digest }) => ({
        id,
        score,
        values,
        output_digest,
      }))
    expect(scoresIn(join(folder, 'out'))).toEqual(scoresIn(join(folder, 'straight')))
    expect(resumed.score).toEqual(straight.score)
  })

  test('unfinished work of another model is refused', async () => {
    const tokenizer = writeTokenizer()
    const items = writeItems(choices(4))
    const broken = await startBetween(
      await startSimulated('one'),
      (count, response) => count > 2 && Boolean(response.writeHead(400).end('{}')),
    )
    const request = { items, tokenizer, to: join(folder, 'out') }
    await expect(runEvaluation({ ...request, spec: specOf(broken.url), address: { url: broken.url } })).rejects.toThrow('status 400')
    const url = await startSimulated('other')
    await expect(runEvaluation({ ...request, spec: specOf(url), address: { url } })).rejects.toThrow(
      'holds the unfinished evaluation of other items, another model or another instrument',
    )
  })

  test('a server that is busy or breaks the connection is asked again', async () => {
    const tokenizer = writeTokenizer()
    const items = writeItems(choices(6))
    const between = await startBetween(await startSimulated(), (count, response) => {
      if (count % 3 === 1) return Boolean(response.writeHead(503).end('{}'))
      if (count % 3 === 2) return Boolean(response.destroy())
      return false
    })
    const address = { url: between.url, retry_s: 0.001 }
    const spec = specOf(between.url, { engine: { url: between.url, concurrency: 1 } })
    const evaluation = await runEvaluation({ spec, items, tokenizer, address, to: join(folder, 'out') })
    expect(evaluation.items.count).toBe(6)
    expect(between.asked).toHaveLength(12)
  })
})

describe('refusals', () => {
  test('results that were changed afterwards', async () => {
    const url = await startSimulated()
    const to = join(folder, 'out')
    await runEvaluation({ spec: specOf(url), items: writeItems(choices(4)), tokenizer: writeTokenizer(), address: { url }, to })
    writeFileSync(join(to, 'results.jsonl'), readFileSync(join(to, 'results.jsonl'), 'utf8').replace('"score":0', '"score":1'))
    await expect(readEvaluation(to)).rejects.toThrow('it was changed after the evaluation')
  })

  test.each([
    ['a model that is not served', { engine: { model: 'large' } }, /serves tiny, not large/],
    ['a prefix of several tokens', { tokenizer: { file: 't', prefix: 'ab' } }, /"ab" is not one token/],
  ])('%s', async (_, change, problem) => {
    const url = await startSimulated()
    const spec = specOf(url, { ...change, engine: { url, ...('engine' in change ? change.engine : {}) } })
    const request = { spec, items: writeItems(choices(2)), tokenizer: writeTokenizer(), address: { url }, to: join(folder, 'out') }
    await expect(runEvaluation(request)).rejects.toThrow(problem)
  })

  test("an answer that is not of OpenAI's API", async () => {
    const between = await startBetween(await startSimulated(), (_, response) => Boolean(response.writeHead(200).end('{"choices":[]}')))
    const request = { items: writeItems(choices(2)), tokenizer: writeTokenizer(), address: { url: between.url }, to: join(folder, 'out') }
    await expect(runEvaluation({ ...request, spec: specOf(between.url) })).rejects.toThrow(
      /item "i0": its answer is not that of OpenAI's API: choices/,
    )
  })

  test('an engine without chances of given tokens', async () => {
    const between = await startBetween(await startSimulated(), (_, response) =>
      Boolean(response.writeHead(200).end('{"choices":[{"text":"a","logprobs":null}]}')),
    )
    const request = { items: writeItems(choices(2)), tokenizer: writeTokenizer(), address: { url: between.url }, to: join(folder, 'out') }
    await expect(runEvaluation({ ...request, spec: specOf(between.url) })).rejects.toThrow(
      /item "i0": the chances of its tokens are missing/,
    )
  })
})
