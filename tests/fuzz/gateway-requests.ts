// Requests over sockets: those of the generator that the gateway's own tests have, and bodies that are changed as documents.

import { connect } from 'node:net'
import { malformedRequest, seeded } from '../../packages/effects/gateway/test/malformed.ts'
import { KEY, OTHER_KEY } from '../../packages/effects/gateway/test/setting.ts'
import { changedJson } from './mutate/json.ts'
import { Random } from './mutate/random.ts'

export type RequestFault = { readonly message: string; readonly request: Uint8Array }

export type Tally = { sent: number; answered: number; readonly statuses: Map<string, number>; readonly faults: RequestFault[] }

export type HammerOptions = {
  readonly url: string
  readonly seed: number
  readonly seconds: number
  readonly tally: Tally
  readonly signal: AbortSignal
}

const LANES = 32
const QUIET_MS = 1500
const HANG_MS = 15_000
const MOST_FAULTS = 10
const BATCH = 20
const FINAL = /HTTP\/1\.1 ([2-5]\d\d) /g
const KEYS = [KEY, KEY, KEY, KEY, KEY, KEY, OTHER_KEY, OTHER_KEY, 'sk-wrong', '']
const PATHS = ['/v1/chat/completions', '/v1/completions', '/v1/embeddings'] as const
const TYPES = [
  'application/json',
  'application/json',
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'multipart/form-data',
] as const
const BODIES = [
  '{"model":"m","messages":[{"role":"user","content":"tokens=1"}],"stream":true}',
  '{"model":"h","messages":[{"role":"user","content":[{"type":"text","text":"hello"}]}],"max_tokens":2}',
  '{"model":"h","prompt":["a","b"],"max_tokens":2,"n":2,"seed":1,"stream":true,"stream_options":{"include_usage":true}}',
  '{"model":"h","prompt":[1,2,3],"logprobs":2,"stop":["x"],"response_format":{"type":"json_object"}}',
  '{"model":"m","input":["a"],"encoding_format":"base64","user":"u"}',
  '{"model":"h","input":"a"}',
] as const
const WORDS = [
  'model',
  'messages',
  'role',
  'content',
  'prompt',
  'input',
  'stream',
  'n',
  'user',
  'tools',
  'max_tokens',
  'temperature',
  'seed',
  'stop',
  'm',
  'h',
]

export async function hammer({ url, seed, seconds, tally, signal }: HammerOptions): Promise<void> {
  const end = performance.now() + seconds * 1000
  const lane = async (number: number): Promise<void> => {
    const random = new Random(seed * 1000 + number)
    const draw = seeded(seed * 1000 + number + LANES)
    while (performance.now() < end && !signal.aborted && tally.faults.length < MOST_FAULTS) {
      const batch: Buffer[] = []
      for (let index = 0; index < BATCH; index += 1) {
        const { bytes, closes } = random.chance(0.5) ? malformedRequest(draw, KEYS) : { bytes: structuredBody(random), closes: false }
        batch.push(bytes)
        if (closes) break
      }
      await exchange(url, batch, tally)
    }
  }
  await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)))
}

function structuredBody(random: Random): Buffer {
  const material = { words: WORDS, other: () => random.pick(BODIES), most: 80_000 }
  const body = Buffer.from(changedJson(random.pick(BODIES), random, material) ?? '{}')
  const head = [
    `POST ${random.pick(PATHS)} HTTP/1.1`,
    'host: x',
    `authorization: Bearer ${random.pick(KEYS)}`,
    `content-type: ${random.pick(TYPES)}`,
    `content-length: ${body.length}`,
  ]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body])
}

/** One connection; it ends with the last answer, when the gateway closes it, or when nothing comes for a while. */
export function exchange(url: string, batch: readonly Buffer[], tally: Tally): Promise<void> {
  const request = Buffer.concat(batch)
  let text = ''
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      tally.sent += batch.length
      socket.write(request)
    })
    const quiet = setTimeout(() => socket.destroy(), QUIET_MS)
    const hang = setTimeout(() => {
      tally.faults.push({ message: `no end within ${HANG_MS} ms`, request })
      socket.destroy()
    }, HANG_MS)
    socket.on('data', (data) => {
      text += data.toString('latin1')
      quiet.refresh()
      if ((text.match(FINAL)?.length ?? 0) >= batch.length) socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.once('close', () => {
      clearTimeout(quiet)
      clearTimeout(hang)
      count(text, batch, tally)
      resolve()
    })
  })
}

/** Answers come in the order of the requests. */
function count(text: string, batch: readonly Buffer[], tally: Tally): void {
  for (const [index, [, status = '']] of [...text.matchAll(FINAL)].entries()) {
    tally.answered += 1
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1)
    const request = batch[index]
    if (status.startsWith('5') && request) tally.faults.push({ message: `answered with ${status}`, request })
  }
}
