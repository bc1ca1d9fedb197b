import { afterEach, describe, expect, test } from 'vitest'
import { startEngineStub } from '../../../packages/effects/gateway/test/engine-stub.ts'
import { startGatewayProcess } from './gateway-process.ts'
import { chatBody, KEY, snapshotOf, until } from '../../../packages/effects/gateway/test/setting.ts'

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

async function startProcess(...parts: Parameters<typeof startGatewayProcess>) {
  const gateway = await startGatewayProcess(...parts)
  opened.push(gateway.stop)
  return gateway
}

const otherAddress = (url: string): string => `http://127.0.0.2:${new URL(url).port}`
const isReachable = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  )

describe('what a gateway process shows to others', () => {
  test('metrics listen on 127.0.0.1 when clients are served on every address, unless another is named', async () => {
    const gateway = await startProcess(snapshotOf([]), { flags: ['--host', '0.0.0.0', '--insecure-http'] })
    expect(new URL(gateway.adminUrl).hostname).toBe('127.0.0.1')
    expect([await isReachable(otherAddress(gateway.url)), await isReachable(otherAddress(gateway.adminUrl))]).toEqual([true, false])
    const open = await startProcess(snapshotOf([]), { flags: ['--admin-host', '127.0.0.2'] })
    expect(await isReachable(`${otherAddress(open.adminUrl)}/metrics`)).toBe(true)
  })

  test('a configuration that names another variable than those for engines gets nothing out of the environment', async () => {
    const engine = await startEngineStub({ keep: true })
    opened.push(engine.stop)
    for (const [variable, sent] of [
      ['IRONLAW_TOKEN', undefined],
      ['IRONLAW_ENGINE_TOKEN_A', 'Bearer for-engines'],
    ] as const) {
      const gateway = await startProcess(snapshotOf([engine.url], { pool: { token_variable: variable } }), {
        env: { IRONLAW_TOKEN: 'il_secret', IRONLAW_ENGINE_TOKEN_A: 'for-engines' },
      })
      const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
      await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body: JSON.stringify(chatBody('tokens=1')) })
      expect(engine.heads.at(-1)?.authorization).toBe(sent)
      if (sent === undefined) expect(gateway.output()).toContain('only IRONLAW_ENGINE_TOKEN')
    }
  })

  test('a password on the command line is warned about, and read from the environment it is not', async () => {
    const url = 'postgres://user:secret@127.0.0.1:1/none'
    const warned = await startProcess(snapshotOf([]), { flags: ['--database', url] })
    await until(() => warned.output().includes('--database-file'))
    const quiet = await startProcess(snapshotOf([]), { env: { IRONLAW_GATEWAY_DATABASE: url } })
    await until(() => quiet.output().includes('ECONNREFUSED'))
    expect(quiet.output()).not.toContain('--database-file')
    expect(warned.output() + quiet.output()).not.toContain('secret')
  })
})
