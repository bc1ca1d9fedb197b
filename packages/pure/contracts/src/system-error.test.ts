import { readFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { systemError } from './system-error.ts'

function errorFrom(act: () => unknown): unknown {
  try {
    act()
  } catch (cause) {
    return cause
  }
  throw new Error('nothing was thrown')
}

test.each([
  [
    'a file that is not there',
    () => readFileSync('nowhere/at/all'),
    'IL_FILE',
    'cannot read nowhere/at/all: there is no such file or directory',
  ],
  ['a directory below a file', () => mkdirSync(`${import.meta.filename}/below`), 'IL_WRITE', 'a part of the path is not a directory'],
])('%s', (_, act, code, message) => {
  expect(systemError(errorFrom(act))).toMatchObject({ code, message: expect.stringContaining(message), next: expect.stringMatching(/./) })
})

test('a full disk', () => {
  expect(systemError(errorFrom(() => writeFileSync('/dev/full', 'text')))).toMatchObject({
    code: 'IL_DISK_FULL',
    next: expect.stringContaining('free some space'),
  })
})

test('a port in use is named', async () => {
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const address = holder.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const other = createServer().listen(port, '127.0.0.1')
  const [cause]: unknown[] = await once(other, 'error')
  holder.close()
  expect(systemError(cause)).toMatchObject({
    code: 'IL_LISTEN',
    message: `cannot listen on 127.0.0.1:${port}: another process uses that port`,
  })
})

test('other errors are not explained', () => {
  expect(systemError(new TypeError('x is not a function'))).toBeUndefined()
  expect(systemError('text')).toBeUndefined()
})
