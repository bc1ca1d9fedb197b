// A secret of a job on a real Slurm cluster: neither its job state nor its batch script holds the value.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { planId } from '@ironlaw/contracts'
import { slurmExecutor } from '@ironlaw/executors/slurm'
import { openPostgres } from '@ironlaw/store'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { databaseText } from '../packages/effects/control/test/database-text.ts'
import { SERVER_ABSENT, startPrivateServer } from '../packages/effects/control/test/postgres.ts'
import { startCluster } from '../packages/effects/executors/src/slurm/testbed.fixture.ts'
import { startServer } from '../packages/apps/server/src/start-server.ts'

const VALUE = 'hf_PlantedValue51c0/+x'
const FORMS = [VALUE, Buffer.from(VALUE).toString('base64')]

/** Waits to be looked at. */
const PROGRAM = `
import os, time
assert os.environ["HF_TOKEN"] == open(os.environ["HF_TOKEN_FILE"]).read()
open("holds-it", "w").close()
while not os.path.exists("seen"):
    time.sleep(0.1)
`

const isAbsent =
  SERVER_ABSENT !== undefined || !(process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'slurmctld')))

test.skipIf(isAbsent)('job state, batch script and database hold no value while the job runs with it', { timeout: 240_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ironlaw-slurm-secrets-'))
  const inside = (name: string): string => join(directory, name)
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  writeFileSync(inside('job.py'), PROGRAM)
  const [postgres, cluster] = await Promise.all([startPrivateServer(), startCluster(1)])
  onTestFinished(() => postgres.stop())
  onTestFinished(() => cluster.testbed('down'))
  const server = await startServer({
    database: postgres.url,
    listen: { host: '127.0.0.1', port: 0 },
    executor: slurmExecutor({ environment: cluster.environment }),
    cluster: 'slurm',
    site: { runs: inside('runs'), python: '/usr/bin/python3', pythonPath: resolve(import.meta.dirname, '../python') },
    logDirectory: inside('logs'),
    contextFile: inside('context.json'),
    secretsKey: inside('secrets.key'),
    logTo: { write: () => undefined },
  })
  onTestFinished(() => server.close())
  const { token } = z.object({ token: z.string() }).parse(JSON.parse(readFileSync(inside('context.json'), 'utf8')))
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const answer = await fetch(server.address + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return z
      .object({ id: z.string(), state: z.string() })
      .partial()
      .parse(await answer.json())
  }
  await ask('PUT', '/v1/projects/search/secrets/hf-token', { value: VALUE })
  const plan = { apiVersion: 'ironlaw/v1' as const, kind: 'Job' as const, name: 'uses-secret', processes: 1 }
  const program = { argv: [inside('job.py')], directory, environment: {}, secrets: { HF_TOKEN: 'hf-token' } }
  const shape = { nodes: 1, processesPerNode: 1, smaller: [], retries: 0 }
  const { id } = await ask('POST', '/v1/runs', {
    name: 'uses-secret',
    project: 'search',
    plan: { ...plan, id: planId(plan) },
    program,
    shape,
  })
  await expect.poll(() => existsSync(inside('holds-it')), { timeout: 90_000, interval: 200 }).toBe(true)
  const [job = ''] = (await cluster.slurm('squeue', '--noheader', '--format=%i')).split('\n')
  const database = openPostgres(postgres.url, { max: 1 })
  const shown = {
    state: await cluster.slurm('scontrol', 'show', 'job', '-dd', job),
    script: await cluster.slurm('scontrol', 'write', 'batch_script', job, '-'),
    database: await databaseText(database),
  }
  await database.destroy()
  writeFileSync(inside('seen'), '')
  for (const text of Object.values(shown)) for (const form of FORMS) expect(text).not.toContain(form)
  expect(shown.script).toContain('HF_TOKEN_FILE')
  await expect.poll(async () => (await ask('GET', `/v1/runs/${id}`)).state, { timeout: 60_000, interval: 200 }).toBe('succeeded')
  await expect.poll(() => existsSync(join(inside('runs'), id ?? '', 'secrets')), { timeout: 30_000, interval: 200 }).toBe(false)
})
