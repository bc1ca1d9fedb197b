// Sends malformed requests and looks at every answer: node packages/effects/gateway/test/fuzz.ts [count] [seed]. A crash, a hang, a 5xx, or a word of
// another tenant's is a fault.

import { connect } from 'node:net'
import { pathToFileURL } from 'node:url'
import type { Gateway } from '../src/index.ts'
import { startEngineStub } from './engine-stub.ts'
import { type Draw, malformedRequest, seeded } from './malformed.ts'
import { chatBody, KEY, OTHER_KEY, post, snapshotOf, startWithSnapshot } from './setting.ts'

export type Tally = { answered: number; readonly statuses: Map<string, number>; readonly faults: string[] }

const CANARY = 'words-of-the-other-tenant'
const HANG_MS = 15_000
const QUIET_MS = 1500
const FINAL = /HTTP\/1\.1 [2-5]\d\d /g
const LANES = 256

async function fuzz(gateway: Gateway, { count, seed }: { readonly count: number; readonly seed: number }): Promise<Tally> {
  const tally: Tally = { answered: 0, statuses: new Map(), faults: [] }
  const port = Number(new URL(gateway.url).port)
  const lane = async (number: number): Promise<void> => {
    const draw = seeded(seed * 1000 + number)
    while (tally.answered < count && tally.faults.length < 20) await connection(port, { draw, tally })
  }
  await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)))
  return tally
}

/** Requests on one connection until one that ends it, or forty. */
function connection(port: number, { draw, tally }: { readonly draw: Draw; readonly tally: Tally }): Promise<void> {
  const keys = [KEY, KEY, KEY, KEY, KEY, KEY, KEY, KEY, 'sk-wrong', '']
  let text = ''
  const batch: Buffer[] = []
  for (let index = 0; index < 40; index += 1) {
    const { bytes, closes } = malformedRequest(draw, keys)
    batch.push(bytes)
    if (closes) break
  }
  const sent = Buffer.concat(batch)
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(sent))
    // What the server takes for the beginning of another request is answered by its own limits on time.
    const patience = setTimeout(() => socket.destroy(), QUIET_MS)
    const hang = setTimeout(
      () => tally.faults.push(`no end within ${HANG_MS} ms of ${JSON.stringify(sent.toString('latin1').slice(0, 2000))}`),
      HANG_MS,
    )
    socket.on('data', (data) => {
      text += data.toString('latin1')
      patience.refresh()
      if ((text.match(FINAL)?.length ?? 0) >= batch.length) socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(patience)
      clearTimeout(hang)
      judge(text, { sent, tally })
      resolve()
    })
  })
}

function judge(text: string, { sent, tally }: { readonly sent: Buffer; readonly tally: Tally }): void {
  for (const [, status = ''] of text.matchAll(/HTTP\/1\.1 ([2-5]\d\d) /g)) {
    tally.answered += 1
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1)
    if (status.startsWith('5')) tally.faults.push(`${status} for ${JSON.stringify(sent.toString('latin1').slice(0, 4000))}`)
  }
  if (text.includes(CANARY)) tally.faults.push(`another tenant's words for ${JSON.stringify(sent.toString('latin1').slice(0, 2000))}`)
}

/** The whole run: a gateway that serves another tenant at the same time, and must still serve well afterwards. */
export async function fuzzRun(options: {
  readonly count: number
  readonly seed: number
}): Promise<Tally & { readonly alive: boolean; readonly left: number }> {
  const engine = await startEngineStub()
  const gateway = await startWithSnapshot(
    snapshotOf([engine.url], { key: { cache_s: 60 }, limits: { body_bytes: 30_000, body_s: 1 }, model: { max_output_tokens: 64 } }),
  )
  const others = setInterval(
    () => void post(gateway, { ...chatBody(`tokens=1 ${CANARY}`), user: CANARY }, { key: OTHER_KEY }).then((answer) => answer.text()),
    50,
  )
  const tally = await fuzz(gateway, options)
  clearInterval(others)
  const { status } = await post(gateway, chatBody('tokens=1'))
  await new Promise((resolve) => setTimeout(resolve, 1500))
  const left = gateway.running()
  await gateway.stop({ drain_s: 1 })
  await engine.stop()
  return { ...tally, alive: status === 200, left }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [count = '1000000', seed = '1'] = process.argv.slice(2)
  const began = performance.now()
  const tally = await fuzzRun({ count: Number(count), seed: Number(seed) })
  console.log(
    `${tally.answered} requests answered in ${((performance.now() - began) / 1000).toFixed(0)} s, memory ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MiB`,
    Object.fromEntries(tally.statuses),
  )
  for (const fault of tally.faults) console.log(fault)
  process.exit(tally.faults.length === 0 && tally.alive && tally.left === 0 ? 0 : 1)
}
