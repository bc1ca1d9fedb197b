import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveConsole } from './console-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'ironlaw-files-'))
let server: Server
let at = ''
beforeAll(async () => {
  mkdirSync(join(folder, 'site/assets'), { recursive: true })
  writeFileSync(join(folder, 'site/index.html'), '<title>Ironlaw</title>')
  writeFileSync(join(folder, 'site/assets/a.js'), 'export {}')
  writeFileSync(join(folder, 'secret'), 'secret')
  server = createServer((_, response) => response.writeHead(401).end())
  serveConsole(server, { folder: join(folder, 'site') })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  const address = server.address()
  at = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

test('the page is read without a token, and what it loads has its type', async () => {
  const page = await fetch(`${at}/`)
  expect([page.url, await page.text(), page.headers.get('content-type')]).toEqual([
    `${at}/console/`,
    '<title>Ironlaw</title>',
    'text/html; charset=utf-8',
  ])
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect((await fetch(`${at}/console/assets/a.js`)).headers.get('content-type')).toBe('text/javascript; charset=utf-8')
})

test.each(['/console/../secret', '/console/%2e%2e/secret', '/console/assets/../../secret', '/console/nothing', '/console/assets'])(
  '%s is not there',
  async (path) => {
    const { promise, resolve } = Promise.withResolvers<string>()
    // Asked by hand: fetch would tidy the path before it is sent.
    const address = server.address()
    const socket = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1', () =>
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`),
    )
    let text = ''
    socket.on('data', (part: Buffer) => (text += String(part))).on('end', () => resolve(text))
    expect((await promise).split('\r\n')[0]).toBe('HTTP/1.1 404 Not Found')
  },
)

test('nothing inline runs or styles the page, no other site frames it, and what it may use of the machine is nothing', async () => {
  for (const path of ['/console/', '/console/assets/a.js', '/console/nothing']) {
    const { headers } = await fetch(at + path)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).not.toContain('unsafe')
    for (const rule of ["default-src 'none'", "object-src 'none'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"])
      expect(policy).toContain(rule)
    expect(headers.get('permissions-policy')).toContain('camera=()')
    expect([headers.get('cross-origin-opener-policy'), headers.get('cross-origin-resource-policy')]).toEqual(['same-origin', 'same-origin'])
    // Without TLS there is nothing to be strict about.
    expect(headers.get('strict-transport-security')).toBeNull()
  }
})

test('everything else is the API, which asks for a token', async () => {
  expect((await fetch(`${at}/v1/runs`)).status).toBe(401)
  expect((await fetch(`${at}/`, { method: 'POST' })).status).toBe(401)
})

test('without a built site nothing changes', () => {
  const bare = createServer()
  serveConsole(bare, { folder: join(folder, 'not-built') })
  expect(bare.listenerCount('request')).toBe(0)
})
