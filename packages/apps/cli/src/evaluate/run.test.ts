// The command itself, killed in the middle.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const MAIN = join(import.meta.dirname, '../main.ts')
const ITEMS = 40
const CONCURRENCY = 2

let folder = ''
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ironlaw-evaluate-'))))
afterEach(() => rmSync(folder, { recursive: true }))

/** Answers every prompt with itself; after `holdAfter` answers it answers no more. */
async function startEcho() {
  const asked = new Map<string, number>()
  const echo = { asked, holdAfter: Infinity, onHeld: (): void => undefined, url: '', stop: (): void => undefined }
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const body = (await request.toArray()).join('')
      if (request.method === 'GET') {
        response.writeHead(request.url === '/v1/models' ? 200 : 404).end('{"data":[{"id":"echo","max_model_len":100}]}')
        return
      }
      const { prompt }: { readonly prompt: string } = JSON.parse(body)
      if ([...asked.values()].reduce((sum, count) => sum + count, 0) >= echo.holdAfter) {
        echo.onHeld()
        return
      }
      asked.set(prompt, (asked.get(prompt) ?? 0) + 1)
      response.writeHead(200).end(JSON.stringify({ choices: [{ text: prompt }] }))
    }
    void answer()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  echo.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  echo.stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return echo
}

const start = (...args: readonly string[]): ChildProcess =>
  spawn(process.execPath, [MAIN, 'evaluate', 'run', 'spec.json', '--to', 'out', ...args], { cwd: folder, stdio: 'ignore' })

test('killed, it goes on, and what was kept is not asked again', async () => {
  const engine = await startEcho()
  const items = Array.from({ length: ITEMS }, (_, index) => ({ id: `i${index}`, prompt: `p${index}`, answers: [`p${index}`] }))
  writeFileSync(join(folder, 'items.jsonl'), items.map((item) => `${JSON.stringify(item)}\n`).join(''))
  const spec = { apiVersion: 'ironlaw/v1', kind: 'Evaluate', name: 'echo', items: { file: 'items.jsonl' }, task: 'answer' }
  writeFileSync(join(folder, 'spec.json'), JSON.stringify({ ...spec, engine: { url: engine.url, concurrency: CONCURRENCY } }))

  engine.holdAfter = 20
  const held = new Promise<void>((resolve) => (engine.onHeld = resolve))
  const first = start()
  await held
  first.kill('SIGKILL')
  await once(first, 'exit')
  expect(existsSync(join(folder, 'out/evaluation.json'))).toBe(false)
  engine.holdAfter = Infinity

  const second = start()
  await once(second, 'exit')
  engine.stop()
  expect(second.exitCode).toBe(0)
  const evaluation: unknown = JSON.parse(readFileSync(join(folder, 'out/evaluation.json'), 'utf8'))
  expect(evaluation).toMatchObject({ score: { value: 1 }, items: { count: ITEMS } })
  expect(engine.asked.size).toBe(ITEMS)
  // Only what was in flight at the kill.
  const twice = [...engine.asked.values()].filter((count) => count > 1).length
  expect(twice).toBeLessThanOrEqual(CONCURRENCY)
}, 120_000)
