import { afterAll, describe, expect, test } from 'vitest'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { objectStorageConformance } from './object-storage.conformance.ts'
import { openStorage } from './open-storage.ts'
import { listingPage } from './s3-listing.ts'
import { findServer, startServer } from './s3-server.fixture.ts'

const server = findServer()

if ('missing' in server) test.skip(`S3 storage: ${server.missing}`)
else objectStorageConformance('S3', () => startServer(server.program))

const closers: (() => void)[] = []
afterAll(() => {
  for (const close of closers) close()
})

/** Answers as a server in trouble would; a real one cannot be made to. */
async function storageBehind(listener: RequestListener): Promise<ReturnType<typeof openStorage>> {
  const http = createServer(listener).listen(0, '127.0.0.1')
  closers.push(() => http.close())
  await new Promise((resolve) => http.once('listening', resolve))
  const { port } = http.address() as AddressInfo
  return openStorage('s3://bucket/prefix', {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
  })
}

describe('S3 in trouble', () => {
  test('a server that is busy is asked again', async () => {
    let requests = 0
    const storage = await storageBehind((request, response) => {
      requests += 1
      request.resume()
      response.writeHead(requests < 3 ? 503 : 200).end('content')
    })
    expect(String(await storage.get('a'))).toBe('content')
    expect(requests).toBe(3)
  })

  test('a conditional write whose answer was lost recognises its own object', async () => {
    let requests = 0
    const storage = await storageBehind((request, response) => {
      request.resume()
      requests += 1
      if (requests === 1) request.socket.destroy()
      else if (request.method === 'PUT') response.writeHead(412).end()
      else response.writeHead(200).end('mine')
    })
    expect(await storage.putNew('a', Buffer.from('mine'))).toBe('written')
    requests = 0
    expect(await storage.putNew('a', Buffer.from('other'))).toBe('exists')
  })

  test.each([
    [403, 'AccessDenied', 'give these credentials the right'],
    [404, 'NoSuchBucket', 'create the bucket'],
    [403, 'SignatureDoesNotMatch', 'AWS_SECRET_ACCESS_KEY'],
    [501, 'NotImplemented', 'If-None-Match'],
  ])('status %i with %s says what to do', async (status, code, next) => {
    const storage = await storageBehind((request, response) => {
      request.resume()
      response.writeHead(status).end(`<Error><Code>${code}</Code><Message>no &amp; no</Message></Error>`)
    })
    await expect(storage.put('a', Buffer.from('x'))).rejects.toMatchObject({
      code: 'IL_STORAGE',
      message: `cannot write prefix/a in s3://bucket/prefix: the server answered ${status}, ${code}, no & no`,
      next: expect.stringContaining(next),
    })
  })
})

test('credentials that are not set are named', () => {
  expect(() => openStorage('s3://bucket', {})).toThrow(expect.objectContaining({ next: expect.stringContaining('set AWS_ACCESS_KEY_ID') }))
})

test.each(['s3://', 's3://Bucket', 's3://b', 's3://bucket/../other', 's3://bucket//x'])('refuses the address %s', (url) => {
  expect(() => openStorage(url, { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' })).toThrow(
    expect.objectContaining({ code: 'IL_STORAGE' }),
  )
})

test('a listing with more to come and no token is refused', () => {
  expect(() => listingPage('<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>', 's3://bucket')).toThrow('no token')
})
