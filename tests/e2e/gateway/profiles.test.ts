// The process of a gateway reports what it counted when it is stopped, to a control plane as far as it answers that.

import { createServer } from 'node:http'
import { PROFILE_REPORT, type ProfileReport } from '@ironlaw/contracts/profile'
import { afterEach, expect, test } from 'vitest'
import { startEngineStub } from '../../../packages/effects/gateway/test/engine-stub.ts'
import { chatBody, KEY, snapshotOf } from '../../../packages/effects/gateway/test/setting.ts'
import { startGatewayProcess } from './gateway-process.ts'

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

async function startControl(snapshot: object): Promise<{ readonly url: string; readonly reports: ProfileReport[] }> {
  const reports: ProfileReport[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString('utf8')))
    request.on('end', () => {
      if (request.url === '/v1/gateways/g%201/sync') {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(snapshot))
        return
      }
      if (request.url === '/v1/gateways/g%201/profiles') reports.push(PROFILE_REPORT.parse(JSON.parse(body)))
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  opened.push(async () => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, reports }
}

test('a gateway that is stopped reports before it ends', async () => {
  const engine = await startEngineStub()
  opened.push(engine.stop)
  const snapshot = snapshotOf([engine.url], { tenant: { class: 'batch' } })
  const control = await startControl(snapshot)
  const gateway = await startGatewayProcess(snapshot, {
    flags: ['--control', control.url, '--id', 'g 1'],
    env: { IRONLAW_TOKEN: 'secret' },
  })
  opened.push(gateway.stop)
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${KEY}` }
  for (let index = 0; index < 20; index += 1) {
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify(chatBody('tokens=7')),
    })
    await answer.text()
  }
  const exited = new Promise<number | null>((resolve) => void gateway.child.once('exit', resolve))
  gateway.child.kill('SIGTERM')
  expect(await exited).toBe(0)
  const [window] = control.reports.at(-1)?.windows ?? []
  expect(window).toMatchObject({ pool: 'main', class: 'batch', profile: { rows: 20 } })
})
