import { connect, createServer } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { chatBody, KEY, post, snapshotOf, startWithSnapshot } from '../../test/setting.ts'

// A replica that answers as it likes, in front of which clients of several tenants may share one connection (a proxy's).

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

/** Answers every request with these bytes behind the head of a chunked stream. */
async function startGatewayBefore(bytes: string) {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'
  const server = createServer((socket) => {
    socket.on('error', () => undefined).on('data', () => socket.write(head + bytes))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  opened.push(async () => void server.close())
  const gateway = await startWithSnapshot(snapshotOf([url], { model: { max_attempts: 1 } }))
  opened.push(() => gateway.stop({ drain_s: 0 }))
  return gateway
}

const event = `data: {"id":"a","choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null}]}\n\n`
const done = 'data: [DONE]\n\n'
const size = (text: string): string => text.length.toString(16)
const chunk = (text: string): string => `${size(text)}\r\n${text}\r\n`

describe('chunks of an engine are passed on only when they are framed as HTTP says', () => {
  for (const [name, bytes] of [
    ['two other bytes behind a chunk', `${size(event)}\r\n${event}XX${chunk(done)}0\r\n\r\n`],
    ['a size that is smaller than the chunk', `${(event.length - 9).toString(16)}\r\n${event}\r\n${chunk(done)}0\r\n\r\n`],
    ['a line that ends without CR', `${size(event)}\n${event}\r\n${chunk(done)}0\r\n\r\n`],
    ['trailers', `${chunk(event)}${chunk(done)}0\r\nx: y\r\n\r\n`],
    ['blanks behind the size', `${size(event)} \r\n${event}\r\n${chunk(done)}0\r\n\r\n`],
  ] as const)
    test(name, async () => {
      const gateway = await startGatewayBefore(bytes)
      const answer = await post(gateway, { ...chatBody('x'), stream: true })
      const text = await answer.text()
      if (answer.status === 200) expect(text).toContain('"finish_reason":"error"')
      else expect(answer.status).toBe(502)
    })

  test('an extension of a chunk is dropped', async () => {
    const gateway = await startGatewayBefore(`${size(event)};a="b"\r\n${event}\r\n${chunk(done)}0\r\n\r\n`)
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
    opened.push(async () => void socket.destroy())
    const body = JSON.stringify({ ...chatBody('x'), stream: true })
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    let text = ''
    for await (const data of socket) {
      text += String(data)
      if (text.endsWith('0\r\n\r\n')) break
    }
    expect(text.slice(text.indexOf('\r\n\r\n') + 4)).toBe(`${chunk(event)}${chunk(done)}0\r\n\r\n`)
  })
})
