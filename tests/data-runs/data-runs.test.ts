// A dataset made by a run of a real control plane: the command line, the API, the local executor, real agents and processes that are killed.

import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ControlPlane, startControlPlane } from '../control-plane.ts'

const run = promisify(execFile)
const CLI = join(import.meta.dirname, '../../packages/apps/cli/src/main.ts')
/** A run takes seconds, and many times that on a busy machine. */
const TIMEOUT_MS = 120_000

/** A filter that tells which process works, and keeps it waiting until the test lets it go. */
const FILTER = `import json, os, sys, time
with open("workers", "a") as workers:
    print(os.getppid(), file=workers)
for line in sys.stdin:
    while not os.path.exists("go"):
        time.sleep(0.02)
    print(json.dumps({"keep": "bad" not in line, "why": "bad"}), flush=True)
`

let plane: ControlPlane
const folder = mkdtempSync(join(tmpdir(), 'ironlaw-data-runs-'))
const at = (file: string): string => join(folder, file)

beforeAll(async () => {
  plane = await startControlPlane({ nodes: 2, slots: 2 })
  writeFileSync(at('filter.py'), FILTER)
  const line = (number: number): string =>
    JSON.stringify({ text: number % 10 === 0 ? `bad ${number}` : `document ${number % 7 === 0 ? 7 : number} of the corpus` })
  for (let file = 0; file < 4; file += 1)
    writeFileSync(at(`part-${file}.jsonl`), Array.from({ length: 25 }, (_, i) => `${line(25 * file + i)}\n`).join(''))
  writeFileSync(at('part-4.jsonl'), '{"no": "text"}\n')
}, TIMEOUT_MS)
afterAll(async () => {
  await plane.close()
  rmSync(folder, { recursive: true, force: true })
}, TIMEOUT_MS)

async function ironlaw(...argv: readonly string[]): Promise<string> {
  const env = {
    ...process.env,
    NO_COLOR: '1',
    COLUMNS: '200',
    IRONLAW_MEASURED: at('measured'),
    IRONLAW_API: plane.api,
    IRONLAW_TOKEN: plane.token,
  }
  const { stdout } = await run(process.execPath, [CLI, ...argv], { env })
  return stdout
}

type ShownRun = Readonly<Record<string, unknown>> & { readonly id: string }

const get = async <Value>(path: string): Promise<Value> =>
  (await fetch(`${plane.api}/v1${path}`, { headers: { authorization: `Bearer ${plane.token}` } })).json() as Promise<Value>

async function until(id: string, what: object): Promise<void> {
  await expect.poll(() => get<ShownRun>(`/runs/${id}`), { timeout: TIMEOUT_MS / 2, interval: 100 }).toMatchObject(what)
}

async function apply(name: string, over: object, ...flags: readonly string[]): Promise<string> {
  const spec = { apiVersion: 'ironlaw/v1', kind: 'Data', name, workers: 2, resources: { nodes: 2 }, ...over }
  writeFileSync(at(`${name}.yaml`), JSON.stringify(spec))
  const { id }: ShownRun = JSON.parse(await ironlaw('apply', at(`${name}.yaml`), '--yes', '--json', ...flags))
  return id
}

type Artifact = ShownRun & { readonly facts: Readonly<Record<string, unknown>>; readonly made_by?: string }
const artifact = (name: string): Promise<Artifact> => get(`/projects/default/artifacts/${name}`)

const CORPUS = {
  from: [{ name: 'web', files: 'part-*.jsonl' }],
  steps: [{ expect: { violations: 0.5 } }, { filter: { command: ['python3', 'filter.py'] } }, { deduplicate: { similarity: 1 } }],
}

test('a run whose processes are killed makes the same dataset, and its figures are kept', { timeout: TIMEOUT_MS }, async () => {
  const killed = await apply('corpus', CORPUS)
  await expect.poll(() => existsSync(at('workers')) && readFileSync(at('workers'), 'utf8').endsWith('\n'), { timeout: 60_000 }).toBe(true)
  process.kill(Number(readFileSync(at('workers'), 'utf8').split('\n')[0]), 'SIGKILL')
  await until(killed, { attempt: 2 })
  writeFileSync(at('go'), '')
  await until(killed, { state: 'succeeded', attempt: 2, step: 1000, steps: 1000 })
  const dataset = await artifact('corpus')
  expect(dataset).toMatchObject({
    type: 'dataset',
    made_by: killed,
    facts: {
      documents: 78,
      steps: [
        { step: 'expect', documents: 101, kept: 100 },
        { step: 'filter', documents: 100, kept: 90 },
        { step: 'deduplicate', documents: 90, kept: 78 },
      ],
    },
  })
  expect(await artifact('corpus.set-aside')).toMatchObject({ type: 'dataset', files: 1, leaves: 1 })
  const [log, ledger] = [await ironlaw('logs', killed, '--attempt', '2'), await ironlaw('ledger', killed)]
  expect(log).toMatch(/^1000 of 1000: registered$/m)
  expect(ledger).toMatch(/^filter +90 /m)
  expect(ledger).toMatch(/^recovery +\d/m)

  writeFileSync(at('plan.json'), await ironlaw('data', 'plan', at('corpus.yaml'), '--share', '1', '--json'))
  const whole = await apply('corpus', { ...CORPUS, workers: 1, resources: { nodes: 1 } }, '--plan', at('plan.json'))
  await until(whole, { state: 'succeeded', attempt: 1, kind: 'Data' })
  expect(await ironlaw('ledger', whole)).toMatch(/^documents after deduplicate +78 .* 78/m)
  expect((await artifact('corpus')).id).toBe(dataset.id)
  expect(await ironlaw('calibrate', '--from', killed, '--from', whole)).toMatch(/, 2 data runs$/m)
})

test('a source may be an artifact, which the run uses', { timeout: TIMEOUT_MS }, async () => {
  const again = { from: [{ name: 'again', artifact: 'corpus' }], steps: [{ redact: {} }] }
  const id = await apply('again', { ...again, workers: 1, resources: { nodes: 1 } })
  await until(id, { state: 'succeeded', uses: [(await artifact('corpus')).id] })
  expect(await artifact('again')).toMatchObject({ facts: { documents: 78 } })
  expect(await ironlaw('trace', 'again', '--up')).toMatch(/used dataset corpus/)
})

test('what no attempt could do better fails a run at once, and its reason says where', { timeout: TIMEOUT_MS }, async () => {
  const absent = { from: [{ name: 'web', files: 'none.jsonl' }], steps: [], workers: 1, resources: { nodes: 1 } }
  const violation = `${at('part-4.jsonl')}: record 1: there is no text in the field text; the fields are no (rule text.type)`
  const [broken, missing] = await Promise.all([apply('broken', { ...CORPUS, steps: [{ expect: {} }] }), apply('absent', absent)])
  const failed = (detail: string) => ({
    state: 'failed',
    attempt: 1,
    outcome: { cause: 'cannot-succeed', detail: expect.stringContaining(detail) },
  })
  await until(broken, failed(`${violation}; correct the source`))
  await until(missing, failed(`source web: none.jsonl does not exist in ${folder}`))
  expect(await ironlaw('describe', broken)).toContain(violation)
  expect(await ironlaw('get', '--state', 'failed')).toContain(violation)
})
