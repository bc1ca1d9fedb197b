import { generateKeyPairSync, hash } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readPrivateKey, signModel } from '@ironlaw/artifacts/signing'
import { parseReleaseRecord } from '@ironlaw/contracts/release-record'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { releaseCheckAnswer } from './check.ts'

const FIXTURES = join(import.meta.dirname, '../../../../../tests/fixtures')

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ironlaw-release-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  for (const part of ['release.yaml', 'models', 'evaluations', 'predictions.jsonl', 'questions.jsonl', 'documents'])
    cpSync(join(FIXTURES, part), join(directory, part), { recursive: true })
})

const edit = (file: string, change: (text: string) => string): void => {
  const path = join(directory, file)
  writeFileSync(path, change(readFileSync(path, 'utf8')))
}

const AFTER = 'evaluations/after/evaluation.json'
const RESULTS = 'evaluations/after/results.jsonl'

/** As if the evaluation had come to these results. */
function reevaluate(): void {
  const digest = hash('sha256', readFileSync(join(directory, RESULTS)))
  edit(AFTER, (text) => text.replace(/"results": "[0-9a-f]{64}"/, `"results": "${digest}"`))
}

type Checked = {
  readonly answer: string
  readonly gates: readonly { readonly gate: string; readonly state: string; readonly why: string }[]
}

async function check(): Promise<{ readonly exit: number | undefined; readonly checked: Checked }> {
  const { json, exit } = await releaseCheckAnswer(join(directory, 'release.yaml'))
  return { exit, checked: json as Checked }
}

test('a good version passes all gates', async () => {
  const { exit, checked } = await check()
  expect(exit).toBeUndefined()
  expect(checked).toMatchObject({ answer: 'release', gates: Array.from({ length: 9 }, () => ({ state: 'passed' })) })
})

const lines = (text: string, change: (row: Record<string, unknown>, index: number) => object): string =>
  text
    .trim()
    .split('\n')
    .map((line, index) => JSON.stringify(change(JSON.parse(line) as Record<string, unknown>, index)))
    .join('\n')

const questions = (count: number): readonly string[] =>
  readFileSync(join(FIXTURES, 'questions.jsonl'), 'utf8')
    .split('\n')
    .slice(0, count)
    .map((line) => (JSON.parse(line) as { readonly prompt: string }).prompt)

test.each<[string, string, string, (text: string) => string, RegExp]>([
  [
    'worse',
    'evaluation',
    RESULTS,
    (text) => lines(text, (row, index) => (index % 10 === 0 ? { ...row, score: 0 } : row)),
    /all items -\d+\.\d\d points/,
  ],
  ['too slow', 'latency', RESULTS, (text) => lines(text, (row) => ({ ...row, ms: 900 })), /250 of 250 items took more than 500 ms/],
  [
    'unfair to one group',
    'groups',
    'predictions.jsonl',
    (text) => lines(text, (row, index) => (index > 700 && index % 2 === 0 ? { ...row, prediction: 'no' } : row)),
    /found \d+\.\d % of south against \d+\.\d % of north/,
  ],
  [
    'quantised too far',
    'quantization',
    'release.yaml',
    (text) => text.replace('q8_0', 'q4_0'),
    /agrees in the first choice on 93\.0 % of prompts/,
  ],
  ['too large', 'memory', 'release.yaml', (text) => text.replace('4 GB', '1 GB'), /the engine held 1\.9 GB at most; 1\.0 GB may/],
  [
    'contaminated',
    'contamination',
    'documents/part-0.jsonl',
    (text) => `${text.trim()}\n${JSON.stringify({ text: questions(10).join(' ') })}\n`,
    /10 of 60 items are in \d+ documents of training data \(question-1 in document \d+ of .*part-0\.jsonl\)/,
  ],
  [
    'not meant for what it is to serve',
    'scope',
    'release.yaml',
    (text) => text.replace('languages: [de]', 'languages: [de, fr]'),
    /meant for languages en, de, and is to serve fr/,
  ],
  ['without what a card needs', 'card', 'release.yaml', (text) => text.replace(/ {2}contact:.*\n/, ''), /a card would lack contact/],
])('a version that is %s is refused by %s', async (_, gate, file, change, why) => {
  edit(file, change)
  reevaluate()
  const { exit, checked } = await check()
  expect(exit).toBe(3)
  expect(checked.answer).toBe('refuse')
  expect(checked.gates.filter(({ state }) => state !== 'passed')).toEqual([
    expect.objectContaining({ gate, state: 'refused', why: expect.stringMatching(why) }),
  ])
})

test('a version that is incomplete is refused, and its card as well', async () => {
  edit('models/candidate/model-version.json', (text) => text.replace('"environment": "python 3.11, torch 2.9.0"', '"environment": null'))
  const { exit, checked } = await check()
  expect(exit).toBe(3)
  expect(checked.gates.flatMap(({ gate, state, why }) => (state === 'passed' ? [] : [[gate, why]]))).toEqual([
    ['complete', 'nobody can make it again: it lacks environment'],
    ['card', 'a card would lack environment'],
  ])
})

test('results that are not those of the evaluation are refused', async () => {
  edit(RESULTS, (text) => text.replace('"score":0', '"score":1'))
  await expect(check()).rejects.toThrow(/results\.jsonl/)
})

test('an evaluation of other weights is no evidence', async () => {
  const saying = (weights: string): void =>
    edit(AFTER, (text) => text.replace(/"model": \{[^}]*\}/, `"model": { "id": "chat-candidate", "weights": "${weights}" }`))
  saying('0'.repeat(64))
  expect((await check()).checked.answer).toBe('release')
  saying('1'.repeat(64))
  await expect(check()).rejects.toThrow(/after is of weights 111111111111, which version mv-6f1d2c0b9a8e7d54 does not have/)
})

test('another instrument is refused, not compared', async () => {
  edit(AFTER, (text) => text.replace('"version": "0.11.0"', '"version": "0.12.0"'))
  await expect(check()).rejects.toThrow(/different instruments: version \(0\.11\.0, then 0\.12\.0\)/)
})

test('a version must be as it was signed', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  writeFileSync(join(directory, 'key.pem'), privateKey.export({ type: 'sec1', format: 'pem' }))
  writeFileSync(join(directory, 'key.pub.pem'), publicKey.export({ type: 'spki', format: 'pem' }))
  edit('release.yaml', (text) => `${text}  - signature: { key: key.pub.pem }\n`)
  const signature = async (): Promise<string | undefined> => (await check()).checked.gates.find(({ gate }) => gate === 'signature')?.state
  expect(await signature()).toBe('refused')
  await signModel(join(directory, 'models/candidate'), await readPrivateKey(join(directory, 'key.pem')))
  expect(await signature()).toBe('passed')
  edit('models/candidate/model-version.json', (text) => `${text}\n`)
  expect(await signature()).toBe('refused')
})

test('what the score is without the items that were found is said of these items only', async () => {
  const withEvaluation = (items: string): void =>
    edit('release.yaml', (text) => text.replace(/items: [^,]+,/, `evaluation: evaluations/after, items: ${items},`))
  withEvaluation('questions.jsonl')
  await expect(check()).rejects.toThrow(/evaluations\/after is of 250 items, such as sum-1, and 60 others were searched for/)
  edit('release.yaml', (text) => text.replace('evaluation: evaluations/after, items', 'items'))
  cpSync(join(FIXTURES, 'items.jsonl'), join(directory, 'items.jsonl'))
  withEvaluation('items.jsonl')
  const { checked } = await check()
  expect(checked.gates.find(({ gate }) => gate === 'contamination')).toMatchObject({
    state: 'undecided',
    why: expect.stringMatching(/250 are too short to tell.*score 86\.4 %/),
  })
})

test('a waiver is shown with who answers for it', async () => {
  edit(
    'release.yaml',
    (text) =>
      `${text.replace('ms: 500', 'ms: 1')}waivers:\n  - { gate: latency, why: no user waits for it, by: ana, until: '2999-12-31' }\n`,
  )
  const answer = await releaseCheckAnswer(join(directory, 'release.yaml'))
  expect(answer.exit).toBeUndefined()
  expect(answer.text()).toMatch(/latency +waived .*waived until 2999-12-31 by ana: no user waits for it/)
})

test('the record holds what was measured against which limit, and the digest of each file', async () => {
  const to = join(directory, 'checked')
  const { json, notes } = await releaseCheckAnswer(join(directory, 'release.yaml'), to)
  const record = parseReleaseRecord(JSON.parse(readFileSync(join(to, 'release.json'), 'utf8')))
  expect(record).toEqual(JSON.parse(JSON.stringify(json)))
  expect(notes).toEqual([expect.stringContaining(`"ironlaw artifact add ${to} --type evaluation" adds it`)])
  const digest = (path: string): string => hash('sha256', readFileSync(join(directory, path)))
  const gate = (name: string) => record.gates.find((each) => each.gate === name)
  expect(gate('evaluation')).toMatchObject({
    figures: [
      { unit: 'difference', value: -0.004, low: expect.closeTo(-0.0227, 3), high: expect.closeTo(0.0209, 3), at_least: -0.05, cases: 250 },
    ],
    evidence: ['evaluations/before/evaluation.json', AFTER].map((path) => ({ path, sha256: digest(path) })),
  })
  expect(gate('latency')?.figures).toMatchObject([
    { unit: 'share', value: 0, low: 0, at_most: expect.closeTo(0.05), cases: 250 },
    { unit: 'ms', at_most: 500 },
  ])
  expect(gate('memory')?.figures).toMatchObject([{ unit: 'bytes', at_most: 4e9 }])
  expect(gate('groups')?.figures).toMatchObject([{ unit: 'difference', at_least: -0.15, at_most: 0.15, cases: 201 }])
  expect(gate('contamination')?.evidence).toEqual([{ path: 'questions.jsonl', sha256: digest('questions.jsonl') }, { path: 'documents' }])
  expect(record.spec).toEqual({ path: 'release.yaml', sha256: digest('release.yaml') })
  for (const { evidence } of record.gates) expect(evidence).not.toEqual([])
})

test('a record is replaced by that of a later check, and nothing else is', async () => {
  const to = join(directory, 'checked')
  await releaseCheckAnswer(join(directory, 'release.yaml'), to)
  edit('release.yaml', (text) => text.replace('ms: 500', 'ms: 1'))
  expect((await releaseCheckAnswer(join(directory, 'release.yaml'), to)).exit).toBe(3)
  expect(parseReleaseRecord(JSON.parse(readFileSync(join(to, 'release.json'), 'utf8'))).answer).toBe('refuse')
  const spec = '{ "apiVersion": "ironlaw/v1", "kind": "Release" }'
  writeFileSync(join(directory, 'release.json'), spec)
  await expect(releaseCheckAnswer(join(directory, 'release.yaml'), directory)).rejects.toThrow(/was not written by "ironlaw release check"/)
  expect(readFileSync(join(directory, 'release.json'), 'utf8')).toBe(spec)
})
