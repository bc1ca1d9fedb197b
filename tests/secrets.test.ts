// A secret from the API to a job and nowhere else: real PostgreSQL, the local executor, real agents.

import { hash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { planId } from '@ironlaw/contracts'
import { localExecutor } from '@ironlaw/executors/local'
import { openPostgres } from '@ironlaw/store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { databaseText } from '../packages/effects/control/test/database-text.ts'
import { SERVER_ABSENT, startPrivateServer } from '../packages/effects/control/test/postgres.ts'
import { type Server, startServer } from '../packages/apps/server/src/start-server.ts'

const VALUE = 'hf_PlantedValue51c0/+x'
const TIMEOUT_MS = 180_000

/** Prints what it should not, uses what it got, and says where its file is. */
const PROGRAM = `
import base64, hashlib, os, stat
value, file = os.environ["HF_TOKEN"], os.environ["HF_TOKEN_FILE"]
assert open(file).read() == value
print("mode", oct(stat.S_IMODE(os.stat(file).st_mode)), oct(stat.S_IMODE(os.stat(os.path.dirname(file)).st_mode)))
print("digest", hashlib.sha256(value.encode()).hexdigest())
print("value", value, base64.b64encode(value.encode()).decode())
print("end of log", flush=True)
if os.environ.get("FAILS"):
    raise SystemExit("cannot log in with " + value)
`

describe.skipIf(SERVER_ABSENT !== undefined)(`secrets of jobs ${SERVER_ABSENT ?? ''}`, () => {
  const directory = mkdtempSync(join(tmpdir(), 'ironlaw-secrets-'))
  const inside = (name: string): string => join(directory, name)
  let server: Server
  let postgres: Awaited<ReturnType<typeof startPrivateServer>>
  let serverLog = ''
  beforeAll(async () => {
    postgres = await startPrivateServer()
    writeFileSync(inside('job.py'), PROGRAM)
    server = await startServer({
      database: postgres.url,
      listen: { host: '127.0.0.1', port: 0 },
      executor: localExecutor({
        directory: inside('jobs'),
        fleet: { nodes: ['n1'], slots: 2 },
        environment: { PATH: process.env['PATH'] ?? '' },
      }),
      cluster: 'local',
      site: { runs: inside('runs'), python: '/usr/bin/python3', pythonPath: resolve(import.meta.dirname, '../python') },
      logDirectory: inside('logs'),
      contextFile: inside('context.json'),
      secretsKey: inside('secrets.key'),
      logTo: { write: (line) => void (serverLog += line) },
    })
  }, TIMEOUT_MS)
  afterAll(async () => {
    await server.close()
    await postgres.stop()
    rmSync(directory, { recursive: true, force: true })
  }, TIMEOUT_MS)

  async function ask(method: string, path: string, body?: object) {
    const { token } = z.object({ token: z.string() }).parse(JSON.parse(readFileSync(inside('context.json'), 'utf8')))
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const answer = await fetch(server.address + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return { status: answer.status, text: await answer.text() }
  }

  const RUN = z.object({ id: z.string(), state: z.string() })

  function jobBody(environment: Readonly<Record<string, string>>, secret = 'hf-token') {
    const plan = { apiVersion: 'ironlaw/v1' as const, kind: 'Job' as const, name: 'uses-secret', processes: 1 }
    const program = { argv: [inside('job.py')], directory, environment, secrets: { HF_TOKEN: secret } }
    const shape = { nodes: 1, processesPerNode: 1, smaller: [], retries: 0 }
    return { name: 'uses-secret', project: 'search', plan: { ...plan, id: planId(plan) }, program, shape }
  }

  async function runToEnd(environment: Readonly<Record<string, string>>) {
    const made = await ask('POST', '/v1/runs', jobBody(environment))
    expect(made.status, made.text).toBe(201)
    const { id } = RUN.parse(JSON.parse(made.text))
    const read = async () => RUN.parse(JSON.parse((await ask('GET', `/v1/runs/${id}`)).text))
    await expect.poll(async () => (await read()).state, { timeout: 120_000, interval: 200 }).toMatch(/succeeded|failed/)
    const readLog = async () => (await ask('GET', `/v1/runs/${id}/logs?rank=0`)).text
    await expect.poll(readLog, { timeout: 30_000, interval: 200 }).toContain('end of log')
    await expect.poll(() => existsSync(join(inside('runs'), id, 'secrets')), { timeout: 30_000, interval: 200 }).toBe(false)
    return { run: await read(), log: await readLog() }
  }

  /** Every file below a directory that holds the value. */
  const filesWith = (folder: string, value: string): readonly string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => readFileSync(file).includes(value))

  async function expectNowhere(): Promise<void> {
    const database = openPostgres(postgres.url, { max: 1 })
    const text = await databaseText(database)
    await database.destroy()
    expect(text).toContain('uses-secret')
    for (const form of [VALUE, Buffer.from(VALUE).toString('base64')]) {
      expect(text).not.toContain(form)
      expect(serverLog).not.toContain(form)
      expect((await ask('GET', '/v1/events?limit=1000')).text).not.toContain(form)
      expect(filesWith(inside('logs'), form)).toEqual([])
      expect(filesWith(inside('jobs'), form)).toEqual([])
      // What the program itself prints is its own, in files that only its user reads; agents copy nothing else there.
      expect(filesWith(inside('runs'), form).filter((file) => !/\/attempts\/\d+\/logs\/rank-\d+\.log$/.test(file))).toEqual([])
    }
  }

  test('a run that names a secret which is not there is refused with the field and the command', async () => {
    const refused = await ask('POST', '/v1/runs', jobBody({}, 'absent'))
    expect(refused.status).toBe(400)
    expect(JSON.parse(refused.text)).toMatchObject({
      title: 'body.program.secrets.HF_TOKEN: project search has no secret "absent"',
      next: expect.stringContaining('ironlaw secret set absent --project search'),
    })
  })

  test('a job gets it as a file and a variable; afterwards it is nowhere, and the log shows ***', { timeout: TIMEOUT_MS }, async () => {
    expect(statSync(inside('secrets.key')).mode & 0o777).toBe(0o600)
    expect((await ask('PUT', '/v1/projects/search/secrets/hf-token', { value: VALUE })).status).toBe(200)
    const { run, log } = await runToEnd({})
    expect(run.state).toBe('succeeded')
    expect(log).toContain('mode 0o400 0o700')
    expect(log).toContain(`digest ${hash('sha256', VALUE)}`)
    expect(log).toContain('value *** ***')
    await expectNowhere()
  })

  test('the last words of a job that fails do not give it away', { timeout: TIMEOUT_MS }, async () => {
    const { run } = await runToEnd({ FAILS: 'yes' })
    expect(run.state).toBe('failed')
    expect((await ask('GET', `/v1/runs/${run.id}`)).text).toContain('cannot log in with ***')
    await expectNowhere()
  })
})
