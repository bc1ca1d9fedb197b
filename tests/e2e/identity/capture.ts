// The packets of one address while a test runs, put together as the byte streams that they carried.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

const FILE_HEADER_BYTES = 24
const PACKET_HEADER_BYTES = 16
const ETHERNET_BYTES = 14
const IPV4 = 0x0800
const TCP = 6

/** Written by tcpdump on a machine of this byte order, on an interface with Ethernet headers. */
const MAGIC = 0xa1b2c3d4

export class Capture {
  readonly #process: ChildProcess
  readonly #file: string

  private constructor(process: ChildProcess, file: string) {
    this.#process = process
    this.#file = file
  }

  static async start(file: string, address: string): Promise<Capture> {
    // A large buffer: a dropped packet could be the one that matters.
    const flags = ['--interface=lo', '--packet-buffered', '--buffer-size=65536', '--snapshot-length=0', '-n', '-Z', 'root', '-w', file]
    const child = spawn('tcpdump', [...flags, `tcp and host ${address}`], { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    const ready = Promise.withResolvers<void>()
    child.stderr.on('data', (chunk: Buffer) => {
      said += String(chunk)
      if (said.includes('listening on')) ready.resolve()
    })
    child.once('error', ready.reject).once('exit', () => ready.reject(new Error(`tcpdump ended: ${said}`)))
    await ready.promise
    return new Capture(child, file)
  }

  /** The bytes that each side of each connection sent, in order. */
  async stop(): Promise<readonly Buffer[]> {
    if (this.#process.exitCode === null) {
      this.#process.kill('SIGINT')
      await once(this.#process, 'exit')
    }
    return streamsOf(readFileSync(this.#file))
  }
}

type Segment = { readonly sequence: number; readonly payload: Buffer }

function streamsOf(file: Buffer): readonly Buffer[] {
  if (file.readUInt32LE(0) !== MAGIC) throw new Error('not a capture in the byte order of this machine')
  const flows = new Map<string, Segment[]>()
  for (let at = FILE_HEADER_BYTES; at + PACKET_HEADER_BYTES <= file.length;) {
    const length = file.readUInt32LE(at + 8)
    const found = segmentOf(file.subarray(at + PACKET_HEADER_BYTES, at + PACKET_HEADER_BYTES + length))
    if (found) {
      const segments = flows.get(found.flow) ?? []
      segments.push(found)
      flows.set(found.flow, segments)
    }
    at += PACKET_HEADER_BYTES + length
  }
  return [...flows.values()].map(joinSegments)
}

function segmentOf(packet: Buffer): (Segment & { readonly flow: string }) | undefined {
  if (packet.length < ETHERNET_BYTES + 40 || packet.readUInt16BE(12) !== IPV4) return undefined
  const ip = packet.subarray(ETHERNET_BYTES)
  const head = (ip.readUInt8(0) & 15) * 4
  if (ip.readUInt8(9) !== TCP) return undefined
  const tcp = ip.subarray(head, ip.readUInt16BE(2))
  const payload = tcp.subarray((tcp.readUInt8(12) >> 4) * 4)
  if (payload.length === 0) return undefined
  const flow = [ip.subarray(12, 20).toString('hex'), tcp.readUInt16BE(0), tcp.readUInt16BE(2)].join(' ')
  return { flow, sequence: tcp.readUInt32BE(4), payload }
}

/** Sent again counts once. A port that is used again makes one stream of two connections, which a search does not mind. */
function joinSegments(segments: readonly Segment[]): Buffer {
  const seen = new Map(segments.map(({ sequence, payload }) => [`${sequence} ${payload.length}`, { sequence, payload }]))
  return Buffer.concat([...seen.values()].map(({ payload }) => payload))
}
