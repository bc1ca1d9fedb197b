import { expect, test } from 'vitest'
import { isLoopbackHost } from './loopback.ts'
import { secureDatabaseUrl } from './secure-database-url.ts'

test.each([
  ['127.0.0.1', true],
  ['127.8.0.1', true],
  ['::1', true],
  ['[::1]', true],
  ['::ffff:127.0.0.1', true],
  ['LOCALHOST', true],
  ['0.0.0.0', false],
  ['::', false],
  ['127.0.0.1.example', false],
  ['localhost.example', false],
  ['10.0.0.1', false],
  ['', false],
])('%s is loopback: %s', (host, expected) => expect(isLoopbackHost(host)).toBe(expected))

test.each([
  ['postgres://user:p%40ss@db.example/ironlaw', 'postgres://user:p%40ss@db.example/ironlaw?sslmode=verify-full'],
  ['postgresql://10.0.0.5:5432/x?application_name=a', 'postgresql://10.0.0.5:5432/x?application_name=a&sslmode=verify-full'],
  ['postgres://db.example/x?sslmode=require', 'postgres://db.example/x?sslmode=require'],
  ['postgres://localhost/x', 'postgres://localhost/x'],
  ['postgres://user@127.0.0.1:5433/x', 'postgres://user@127.0.0.1:5433/x'],
  ['postgres:///x?host=/var/run/postgresql', 'postgres:///x?host=/var/run/postgresql'],
  ['postgres://localhost/x?host=db.example', 'postgres://localhost/x?host=db.example&sslmode=verify-full'],
  ['/srv/database', '/srv/database'],
  ['memory', 'memory'],
])('%s becomes %s', (given, expected) => expect(secureDatabaseUrl(given)).toEqual({ url: expected }))

test.each(['disable', 'no-verify', 'require&uselibpqcompat=true'])('sslmode=%s is kept and warned about', (mode) => {
  const url = `postgres://db.example/x?sslmode=${mode}`
  expect(secureDatabaseUrl(url)).toEqual({ url, warning: expect.stringContaining('is not protected') })
  expect(secureDatabaseUrl(`postgres://localhost/x?sslmode=${mode}`).warning).toBeUndefined()
})
