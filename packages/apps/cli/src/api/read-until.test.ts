import { createServer } from 'node:http'
import { IronlawError } from '@ironlaw/contracts'
import { expect, test } from 'vitest'
import { api } from './api-client.ts'
import { readUntil } from './read-until.ts'

const unreachable = new IronlawError('IL_UNREACHABLE', { api: 'http://127.0.0.1:1', reason: 'connect ECONNREFUSED' })

function readingOf(answers: readonly (number | Error)[]) {
  const left = [...answers]
  const shown: number[] = []
  const read = async (): Promise<number> => {
    const next = left.shift()
    if (typeof next === 'number') return next
    throw next ?? new Error('read too often')
  }
  return { shown, value: readUntil({ read, show: (value) => shown.push(value), isOver: (value) => value === 3 }) }
}

test('a control plane that is away for a while does not end a wait', async () => {
  const { shown, value } = readingOf([1, unreachable, 2, 3])
  expect(await value).toBe(3)
  expect(shown).toEqual([1, 2])
})

test('one that was never there does, and so does any other error', async () => {
  await expect(readingOf([unreachable, 3]).value).rejects.toBe(unreachable)
  const gone = new IronlawError('IL_NOT_FOUND', { kind: 'run', id: 'r1' })
  await expect(readingOf([1, gone, 3]).value).rejects.toBe(gone)
})

test('nor does a proxy that answers for a control plane that restarts, or a body that breaks off', { timeout: 30_000 }, async () => {
  let asked = 0
  const server = createServer((_, response) => {
    asked += 1
    if (asked === 2) response.writeHead(503).end('restarting')
    else if (asked === 3) {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"items"')
      setImmediate(() => response.destroy())
    } else response.setHeader('content-type', 'application/json').end(JSON.stringify({ items: [], next: null }))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const address = server.address()
  const to = { api: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, token: 't' }
  const value = await readUntil({ read: () => api(to).listNodes({}), show: () => undefined, isOver: () => asked >= 4 })
  expect([value.items, asked]).toEqual([[], 4])
  server.closeAllConnections()
  server.close()
})
