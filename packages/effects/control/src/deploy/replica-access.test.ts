import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openAuthority, renewCertificate } from '@ironlaw/certificates'
import { replicaTlsName } from '@ironlaw/contracts'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type AnnouncedEndpoint, type ReplicaAccess, replicaAccess } from './replica-access.ts'
import { endpointFile } from './replica-job.ts'

const TOKEN = 'the-token-of-this-replica'
const REPLICA = { replica: 'chat.1' }
let runs: string
beforeAll(() => {
  runs = mkdtempSync(join(tmpdir(), 'replicas-'))
})
afterAll(() => rmSync(runs, { recursive: true }))

describe('where a replica says it is', () => {
  let count = 0
  let access: ReplicaAccess
  beforeAll(() => {
    access = replicaAccess({ runs })
  })
  /** Storage on a busy machine answers a later look. */
  const waitForEndpoint = (look: () => Promise<AnnouncedEndpoint>): Promise<AnnouncedEndpoint> =>
    vi.waitFor(async () => (await look()) ?? expect.fail('nothing is announced yet'), 10_000)
  const announceEndpoint = (text: string, token: string | undefined = TOKEN) => {
    const id = `chat.${(count += 1)}`
    const file = endpointFile({ runs }, id)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    const places = async () => [{ name: 'n1', address: '127.0.0.1' }]
    return waitForEndpoint(() => access.endpoint(id, { places, ...(token !== undefined && { token }) }))
  }

  test.each([
    ['with its token', `http://127.0.0.1:1\n${TOKEN}\n`, 'http://127.0.0.1:1'],
    ['from a host of ours', `http://127.0.0.1:1\n${TOKEN}\nproves\n`, { url: 'http://127.0.0.1:1', proves: true }],
    ['written by another job that lacks the token', 'http://127.0.0.1:1\n', { refused: expect.stringContaining('lacks the token') }],
    ['with the token of another', 'http://127.0.0.1:1\nother\n', { refused: expect.stringContaining('lacks the token') }],
    ['on another host', `http://192.0.2.55:1\n${TOKEN}\n`, { refused: expect.stringContaining('is not on n1') }],
    ['of another kind', `file:///etc/passwd\n${TOKEN}\n`, { refused: expect.stringContaining('https URL') }],
  ])('%s', async (_, text, announced) => expect(await announceEndpoint(text)).toEqual(announced))

  test('a replica from before tokens were given out needs none', async () => {
    expect(await announceWithoutToken('http://127.0.0.1:1\n')).toBe('http://127.0.0.1:1')
  })

  test('a file that blocks its reader is no address', async () => {
    const file = endpointFile({ runs }, 'fifo')
    mkdirSync(dirname(file), { recursive: true })
    execFileSync('/usr/bin/mkfifo', [file])
    expect(await access.endpoint('fifo', { token: TOKEN, places: async () => [] })).toBeUndefined()
  })

  const announceWithoutToken = (text: string) => {
    const file = endpointFile({ runs }, 'old')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return waitForEndpoint(() => access.endpoint('old', { places: async () => [{ name: 'n1', address: '127.0.0.1' }] }))
  }
})

describe('what answers at an address', () => {
  let server: Server | undefined
  afterEach(() => {
    server?.close()
    server?.closeAllConnections()
  })
  const startListening = async (handle: RequestListener): Promise<string> => {
    server = createServer(handle).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const access = replicaAccess({ runs: '/nowhere' })

  test('another process on the port of a replica does not pass for it', async () => {
    const url = await startListening((_, response) => response.end('ready'))
    expect(await access.isReady(url, REPLICA)).toBe(true)
    expect(await access.isReady(url, { ...REPLICA, token: TOKEN })).toBe(false)
  })

  test('the replica itself proves its token', async () => {
    const url = await startListening((request, response) => {
      const proof = createHmac('sha256', TOKEN).update(String(request.headers['ironlaw-challenge'])).digest('hex')
      response.setHeader('ironlaw-proof', proof).end('ready')
    })
    expect(await access.isReady(url, { ...REPLICA, token: TOKEN })).toBe(true)
    expect(await access.isReady(url, { ...REPLICA, token: 'another token' })).toBe(false)
  })

  test('over TLS only the replica that the certificate names is it, also among replicas of one site', async () => {
    const authority = await openAuthority(join(runs, 'authority'))
    const issue = (name: string, usage: 'server' | 'client') =>
      authority.issue({ holder: `replica ${name}`, names: [replicaTlsName(name)], addresses: ['127.0.0.1'], usage })
    const { cert, key, ca } = await issue('chat.1', 'server')
    server = createSecureServer({ cert, key, ca, requestCert: true, rejectUnauthorized: true }, (_, response) => response.end('ready'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    const own = await renewCertificate(() => issue('control', 'client'), { tell: (line) => expect.fail(line) })
    const secure = replicaAccess({ runs }, undefined, { own })
    expect(await secure.isReady(url, { replica: 'chat.1' })).toBe(true)
    expect(await secure.isReady(url, { replica: 'thief.1' })).toEqual({ refused: expect.stringContaining('does not name this replica') })
    own.close()
  })

  test('an engine that has no /ready is asked for its health', async () => {
    let health = 503
    const url = await startListening((request, response) => response.writeHead(request.url === '/health' ? health : 404).end('{}'))
    expect(await access.isReady(url, REPLICA)).toBe(false)
    health = 200
    expect(await access.isReady(url, REPLICA)).toBe(true)
    expect(await access.isReady(url, { ...REPLICA, token: TOKEN })).toBe(false)
  })

  test('a redirect is not followed', async () => {
    const asked: string[] = []
    const url = await startListening((request, response) => {
      asked.push(request.url ?? '')
      if (request.url === '/ready') response.writeHead(302, { location: '/elsewhere' })
      response.end('ready')
    })
    expect(await access.isReady(url, REPLICA)).toBe(false)
    expect(asked).toEqual(['/ready'])
  })

  const models = (...names: string[]) => JSON.stringify({ object: 'list', data: names.map((id) => ({ id, object: 'model' })) })
  const engine =
    (listed: string, completed: number): RequestListener =>
    (request, response) => {
      const isList = request.url === '/v1/models'
      response.writeHead(isList ? 200 : completed, { 'content-type': 'application/json' }).end(isList ? listed : '{}')
    }

  test.each([
    ['that it serves', engine(models('other', 'tiny'), 404), undefined],
    ['that it does not list and answers to', engine(models('gpt-3.5-turbo'), 200), undefined],
    ['when its list is not one', engine('{"data":[{"id":7}]}', 404), undefined],
    ['when it never answers', () => undefined, undefined],
    ['when it lists nothing', (_: unknown, response: ServerResponse) => void response.writeHead(404).end(), undefined],
    [
      'of another model',
      engine(models('tiny-llama'), 404),
      expect.stringContaining('serves "tiny-llama", and refuses requests for "tiny"'),
    ],
  ] as const)('a name %s', async (_, handle, problem) => {
    expect(await access.nameProblem(await startListening(handle), { replica: 'chat.1', model: 'tiny' })).toEqual(problem)
  })

  test('an answer without end is given up', async () => {
    let sent = 0
    const url = await startListening((_, response) => {
      const more = (): void => {
        while (response.write('x'.repeat(65_536))) sent += 65_536
      }
      response.on('drain', more)
      more()
    })
    expect(await access.isReady(url, REPLICA)).toBe(false)
    expect(sent).toBeLessThan(64 * 1024 * 1024)
  })
})
