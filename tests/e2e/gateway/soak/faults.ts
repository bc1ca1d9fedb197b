// One fault a minute, in turns. Each lasts a part of its minute, and all is well again before the next.

import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ABUSIVE_KEY, type SoakSystem } from './soak-system.ts'
import { KEY } from '../../../../packages/effects/gateway/test/setting.ts'

export type Fault = { readonly name: string; readonly act: (system: SoakSystem, seconds: number) => Promise<void> }

export const FAULTS: readonly Fault[] = [
  {
    name: 'an engine is killed',
    act: async ({ engines: [, engine] }, seconds) => {
      if (!engine) return
      engine.process.kill('SIGKILL')
      await sleep(1000 * seconds)
      await engine.start()
    },
  },
  { name: 'one gateway of two is restarted', act: async (system) => system.gateways[1] && system.restart(system.gateways[1], 'SIGTERM') },
  {
    name: 'PostgreSQL is away',
    act: async (system, seconds) => {
      await system.stopDatabase()
      await sleep(1000 * seconds)
      await system.startDatabase()
    },
  },
  {
    name: 'an engine hangs',
    act: async ({ engines: [, , engine] }, seconds) => {
      engine?.process.kill('SIGSTOP')
      await sleep(1000 * seconds)
      engine?.process.kill('SIGCONT')
    },
  },
  {
    name: 'the configuration is away, then changes',
    act: async (system, seconds) => {
      system.withdraw()
      await sleep(1000 * seconds)
      system.publish()
    },
  },
  { name: 'slow clients', act: slowClients },
  { name: 'an abusive tenant', act: abusiveTenant },
  {
    name: 'one gateway of two is killed',
    act: async (system) => system.gateways[1] && system.restart(system.gateways[1], 'SIGKILL'),
  },
]

const head = (key: string, length: number): string =>
  `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`
const chat = (content: string, more: object = {}): string => JSON.stringify({ model: 'm', messages: [{ role: 'user', content }], ...more })

function openSocket(port: number): Socket {
  return connect(port, '127.0.0.1').on('error', () => undefined)
}

/** Some send a byte a second without a key, some send half a body, some never read their stream. */
async function slowClients({ gateways }: SoakSystem, seconds: number): Promise<void> {
  const sockets = gateways.flatMap(({ port }) =>
    Array.from({ length: 60 }, (_, index) => {
      const socket = openSocket(port)
      const stream = chat('tokens=20000', { stream: true })
      if (index % 3 === 2) socket.pause()
      socket.write([head('none', 10 ** 9), head(KEY, 100_000), head(KEY, stream.length) + stream][index % 3] ?? '')
      return { socket, sends: index % 3 !== 2 }
    }),
  )
  for (let second = 0; second < seconds; second += 1) {
    for (const { socket, sends } of sockets) if (sends && socket.writable) socket.write(' ')
    await sleep(1000)
  }
  for (const { socket } of sockets) socket.destroy()
}

/** Far beyond its quota, with requests that break engines, bodies that nothing can walk, and bodies that are too large. */
async function abusiveTenant({ gateways }: SoakSystem, seconds: number): Promise<void> {
  const bodies = [
    chat('status=500'),
    chat('status=400'),
    `{"model":"m","prompt":${'['.repeat(8000)}${']'.repeat(8000)}}`,
    `{"model":"m","x":[${'{},'.repeat(100_000)}1]}`,
    chat('x'.repeat(5_000_000)),
    '{"model":',
  ]
  const until = performance.now() + 1000 * seconds
  const lane = async (port: number, first: number): Promise<void> => {
    for (let turn = first; performance.now() < until; turn += 1) {
      const body = bodies[turn % bodies.length] ?? ''
      await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ABUSIVE_KEY}`, 'content-type': 'application/json' },
        body,
      }).then(
        (answer) => answer.text(),
        () => sleep(50),
      )
    }
  }
  await Promise.all(gateways.flatMap(({ port }) => Array.from({ length: 8 }, (_, index) => lane(port, index))))
}
