// A control plane whose start is delayed: it already has an address, and answers requests for its metrics.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localExecutor } from '@ironlaw/executors/local'
import { afterAll, expect, test } from 'vitest'
import * as z from 'zod'
import { type Server, startServer } from './start-server.ts'

const directory = mkdtempSync(join(tmpdir(), 'ironlaw-start-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const inside = (name: string): string => join(directory, name)
const CONTEXT = z.object({ api: z.string(), token: z.string() })

function startTestServer(write: (line: string) => void): Promise<Server> {
  return startServer({
    database: inside('database'),
    listen: { host: '127.0.0.1', port: 0 },
    executor: localExecutor({ directory: inside('jobs'), fleet: { nodes: ['n1'], slots: 1 }, environment: {} }),
    cluster: 'local',
    site: { runs: inside('runs'), python: 'python3' },
    logDirectory: inside('logs'),
    contextFile: inside('context.json'),
    logTo: { write },
  })
}

test('metrics are answered while the start still waits', async () => {
  await (await startTestServer(() => undefined)).close()
  const context = readFileSync(inside('context.json'), 'utf8')
  const { token } = CONTEXT.parse(JSON.parse(context))
  // A pipe without a writer blocks its reader, like a database that does not answer.
  rmSync(inside('context.json'))
  execFileSync('/usr/bin/mkfifo', [inside('context.json')])
  const listening = Promise.withResolvers<string>()
  const starting = startTestServer((line) => {
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
    if (address !== undefined) listening.resolve(address)
  })
  const answer = await fetch(`${await listening.promise}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('ironlaw_storage_hanging_calls 0')])
  await writeFile(inside('context.json'), context)
  await (await starting).close()
}, 60_000)
