// The control plane as a process of its own, with its database on disk: killed in the middle of requests, it loses and doubles nothing.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AUDIT, page, RUN } from '@ironlaw/contracts/api'
import { afterAll, expect, test } from 'vitest'
import { sampleTrainingPlan } from '@ironlaw/contracts/sample-plan'

const directory = mkdtempSync(join(tmpdir(), 'ironlaw-server-'))
const started = new Set<ChildProcess>()
afterAll(() => {
  for (const child of started) child.kill('SIGKILL')
  rmSync(directory, { recursive: true, force: true })
})

const START_MS = 60_000
const inside = (name: string): string => join(directory, name)

type RunningServer = {
  readonly child: ChildProcess
  readonly output: () => string
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>
}

async function startProgram(port: number): Promise<RunningServer> {
  const folders = ['database', 'runs', 'logs'].flatMap((name) => [`--${name}`, inside(name)])
  // No node has room, so that the runs of this test wait and nothing is started.
  const argv = [
    ...folders,
    '--context',
    inside('context.json'),
    '--listen',
    `127.0.0.1:${port}`,
    '--nodes',
    '1',
    '--slots',
    '1',
    '--no-console-build',
  ]
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...argv], { stdio: ['ignore', 'pipe', 'pipe'] })
  started.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)))
  for (const deadline = Date.now() + START_MS; !output.includes('listening on');) {
    if (Date.now() > deadline || child.exitCode !== null) throw new Error(`did not start: ${output}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const { api, token } = JSON.parse(readFileSync(inside('context.json'), 'utf8'))
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return {
    child,
    output: () => output,
    ask: (path, init) => fetch(`${api}${path}`, { ...init, headers: { ...headers, ...init?.headers } }),
  }
}

async function sparePort(): Promise<number> {
  const port = 20_000 + Math.floor(Math.random() * 12_000)
  const server = createServer()
  const { promise, resolve } = Promise.withResolvers<boolean>()
  server.once('error', () => resolve(false))
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  return (await promise) ? port : sparePort()
}

const create = (server: RunningServer, name: string): Promise<Response> =>
  server.ask('/v1/runs', {
    method: 'POST',
    headers: { 'idempotency-key': name },
    body: JSON.stringify({
      name,
      plan: sampleTrainingPlan(),
      program: { argv: ['train.py'], directory: '/srv' },
      shape: { nodes: 2, processesPerNode: 4 },
    }),
  })

test('killed in the middle of requests, it loses no run it answered for and doubles none', { timeout: 3 * START_MS }, async () => {
  const port = await sparePort()
  const names = Array.from({ length: 20 }, (_, index) => `run-${index}`)
  const first = await startProgram(port)
  expect(statSync(inside('context.json')).mode & 0o777).toBe(0o600)
  const { token } = JSON.parse(readFileSync(inside('context.json'), 'utf8'))
  const answered = new Map<string, string>()
  const asked = names.map(async (name) => {
    answered.set(name, RUN.parse(await (await create(first, name)).json()).id)
  })
  while (answered.size < 5) await new Promise((resolve) => setTimeout(resolve, 1))
  first.child.kill('SIGKILL')
  await Promise.allSettled(asked)
  expect(answered.size).toBeLessThan(names.length)

  const second = await startProgram(port)
  expect(JSON.parse(readFileSync(inside('context.json'), 'utf8')).token).toBe(token)
  for (const name of names) {
    const { id } = RUN.parse(await (await create(second, name)).json())
    if (answered.has(name)) expect(id).toBe(answered.get(name))
  }
  const runs = page(RUN).parse(await (await second.ask('/v1/runs?limit=1000')).json())
  expect(runs.items.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
  const audit = page(AUDIT).parse(await (await second.ask('/v1/audit?limit=1000')).json())
  expect(audit.items.filter(({ intact }) => !intact)).toEqual([])

  const watch = await second.ask('/v1/events', { headers: { accept: 'text/event-stream' } })
  second.child.kill('SIGTERM')
  const [code] = await once(second.child, 'exit')
  expect([code, (await watch.text()).startsWith(': watching')]).toEqual([0, true])
  for (const { output } of [first, second]) expect(output()).not.toContain(token)
})

test(
  'a second one on the same directory is refused and names the first; a killed one leaves no lock behind',
  { timeout: 3 * START_MS },
  async () => {
    const first = await startProgram(await sparePort())
    await expect(startProgram(await sparePort())).rejects.toThrow(`is in use by process ${first.child.pid} on `)
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    const next = await startProgram(await sparePort())
    expect((await next.ask('/v1/runs')).status).toBe(200)
  },
)
