// Any program under a real control plane: the command line, the API, the local executor and real agents, over the database inside the process and
// over PostgreSQL.

import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SERVER_ABSENT, startPrivateServer } from '../../packages/effects/store/test/private-server.ts'
import { type ControlPlane, startControlPlane } from '../control-plane.ts'

const run = promisify(execFile)
const CLI = join(import.meta.dirname, '../../packages/apps/cli/src/main.ts')
/** A job takes seconds, and many times that on a busy machine. */
const TIMEOUT_MS = 120_000

/** Of three processes on two nodes; it goes on until its file is there. */
const WAITING = `import os, sys, time
print("rank", os.environ["RANK"], "of", os.environ["WORLD_SIZE"], flush=True)
while not os.path.exists(sys.argv[1]):
    time.sleep(0.05)
`

const STEPPING = `import os, sys, time
for step in range(1, 6):
    if os.environ["RANK"] == "0":
        print(f"epoch 1 step {step} loss {5 / step:.3f}", flush=True)
    time.sleep(0.2)
while not os.path.exists(sys.argv[1]):
    time.sleep(0.05)
`

const readLines = (file: string): readonly string[] => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [])

async function firstLine(file: string): Promise<string> {
  await expect.poll(() => readLines(file).length, { timeout: TIMEOUT_MS / 2 }).toBeGreaterThan(0)
  return readLines(file)[0] ?? ''
}

type Databases = readonly (readonly [name: string, absent: string | undefined])[]

describe.each<Databases[number]>([
  ['the database inside', undefined],
  ['PostgreSQL', SERVER_ABSENT],
])('%s', (name, absent) => {
  describe.skipIf(absent !== undefined)(absent ?? '', () => {
    let plane: ControlPlane
    let stop = async (): Promise<void> => undefined
    const folder = mkdtempSync(join(tmpdir(), 'ironlaw-jobs-'))
    const at = (file: string): string => join(folder, file)

    beforeAll(async () => {
      const server = name === 'PostgreSQL' ? await startPrivateServer() : undefined
      plane = await startControlPlane({ nodes: 4, slots: 4, database: server?.url })
      stop = async () => {
        await plane.close()
        await server?.stop()
      }
      writeFileSync(at('waiting.py'), WAITING)
      writeFileSync(at('stepping.py'), STEPPING)
    }, TIMEOUT_MS)
    afterAll(async () => {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    }, TIMEOUT_MS)

    /** Status and everything that was printed. */
    async function ironlaw(...argv: readonly string[]): Promise<{ readonly status: number; readonly said: string }> {
      const env = { ...process.env, NO_COLOR: '1', COLUMNS: '200', IRONLAW_API: plane.api, IRONLAW_TOKEN: plane.token }
      return run(process.execPath, [CLI, ...argv], { env }).then(
        ({ stdout, stderr }) => ({ status: 0, said: stdout + stderr }),
        (failed: { code: number; stdout: string; stderr: string }) => ({ status: failed.code, said: failed.stdout + failed.stderr }),
      )
    }

    async function apply(job: string, over: object): Promise<void> {
      writeFileSync(at(`${job}.yaml`), JSON.stringify({ apiVersion: 'ironlaw/v1', kind: 'Job', name: job, ...over }))
      expect(await ironlaw('apply', at(`${job}.yaml`), '--yes', '--detach')).toMatchObject({ status: 0 })
    }

    type ShownRun = Readonly<Record<string, unknown>> & { readonly id: string; readonly state: string }
    async function fetchRun(job: string): Promise<ShownRun> {
      const answer = await fetch(`${plane.api}/v1/runs?name=${job}`, { headers: { authorization: `Bearer ${plane.token}` } })
      const { items } = (await answer.json()) as { items: readonly ShownRun[] }
      if (!items[0]) throw new Error(`no ${job}`)
      return items[0]
    }
    const until = (job: string, what: object): Promise<void> =>
      expect.poll(() => fetchRun(job), { timeout: TIMEOUT_MS / 2, interval: 100 }).toMatchObject(what)
    const eventsOf = async (job: string): Promise<readonly { readonly kind: string; readonly body: object }[]> =>
      (await ironlaw('events', job, '--json')).said
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))

    test('a plain script runs, ends once, and its ledger says what is known', { timeout: TIMEOUT_MS }, async () => {
      await apply('plain', { program: ['waiting.py', at('go')], resources: { nodes: 2, processesPerNode: 2 } })
      await until('plain', { state: 'running', why: '', kind: 'Job' })
      expect((await ironlaw('get', 'plain')).said).not.toContain('/')
      expect(await ironlaw('logs', 'plain', '--rank', '9')).toMatchObject({
        status: 1,
        said: expect.stringContaining('has ranks 0 to 3, and no 9'),
      })
      writeFileSync(at('go'), '')
      await until('plain', { state: 'succeeded', attempt: 1 })
      expect(await fetchRun('plain')).not.toHaveProperty('step')
      const described = (await ironlaw('describe', 'plain')).said
      expect(described).toContain(`command waiting.py ${at('go')}, 2 nodes x 2`)
      const ledger = (await ironlaw('ledger', 'plain')).said
      expect(ledger).toContain('goodput is unknown: the program reports no steps')
      expect(ledger).toMatch(/^running +/m)
      expect(ledger).not.toMatch(/steps that count|calibrate|images/)
      expect((await eventsOf('plain')).filter(({ kind }) => kind === 'run-succeeded')).toHaveLength(1)
      expect((await ironlaw('logs', 'plain', '--rank', '3')).said).toContain('rank 3 of 4')
    })

    test('a command that fails ends once, with its last words, after as many attempts as it says', { timeout: TIMEOUT_MS }, async () => {
      await apply('fails', { command: 'echo out of luck >&2; exit 3', retries: 1 })
      await until('fails', { state: 'failed', attempt: 2 })
      const detail = '2 attempts in a row got no further; the last: rank 0 on n1 exited with 3: out of luck'
      expect(await fetchRun('fails')).toMatchObject({
        outcome: { cause: 'no-progress', detail: expect.stringMatching(detail.replace('n1', '\\S+')) },
      })
      expect((await eventsOf('fails')).filter(({ kind }) => kind === 'run-failed')).toHaveLength(1)
    })

    test('a program that is not there is one failure, in the words of the node', { timeout: TIMEOUT_MS }, async () => {
      await apply('missing', { program: ['nope.py'], resources: { nodes: 3 } })
      await until('missing', { state: 'failed', attempt: 1 })
      expect(await fetchRun('missing')).toMatchObject({
        outcome: { cause: 'cannot-start', detail: `can't open file '${at('nope.py')}': no such file on this node` },
      })
      expect((await eventsOf('missing')).map(({ kind }) => kind)).not.toContain('node-suspected')
    })

    test('a time limit ends a job, and it is not started again', { timeout: TIMEOUT_MS }, async () => {
      await apply('limited', { program: ['waiting.py', at('never')], timeLimit: '3s' })
      await until('limited', { state: 'failed', outcome: { cause: 'time-limit', detail: 'the time limit of 3 s was reached' } })
    })

    test('what a killed shell leaves behind does not run alongside the next attempt', { timeout: TIMEOUT_MS }, async () => {
      const lines = at('lines')
      const command = `echo begin $$ >> ${lines}; /usr/bin/python3 waiting.py ${at('later')} && echo end >> ${lines}`
      await apply('shell', { command })
      await until('shell', { state: 'running', attempt: 1 })
      const first = await firstLine(lines)
      process.kill(Number(first.split(' ')[1]), 'SIGKILL')
      await until('shell', { state: 'running', attempt: 2 })
      writeFileSync(at('later'), '')
      await until('shell', { state: 'succeeded', attempt: 2 })
      // The python of the first attempt would have ended with it, and written a second line.
      expect(readLines(lines).map((line) => line.split(' ')[0])).toEqual(['begin', 'begin', 'end'])
    })

    test('steps and loss are read from what a program prints', { timeout: TIMEOUT_MS }, async () => {
      const steps = { pattern: 'step (?<step>\\d+) loss (?<loss>[\\d.]+)', total: 5 }
      await apply('stepping', { program: ['stepping.py', at('done')], resources: { processesPerNode: 2 }, steps })
      await until('stepping', { state: 'running', step: 5, steps: 5, loss: 1 })
      expect((await ironlaw('get')).said).toMatch(/stepping-\S+ +running +5\/5 +1\.000/)
      writeFileSync(at('done'), '')
      await until('stepping', { state: 'succeeded', attempt: 1 })
      expect((await ironlaw('ledger', 'stepping')).said).toMatch(/5 steps that count/)
    })
  })
})
