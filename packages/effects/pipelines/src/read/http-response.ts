// The text of an HTTP response as it went over the network: its transfer coding, compression and character set undone.

import { TextDecoder } from 'node:util'
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { MOST_LINE_BYTES } from './cut-lines.ts'
import { decodeUtf8 } from './utf8.ts'

export type Headers = ReadonlyMap<string, string>

type ResponseContent =
  | { readonly status: number; readonly mediaType: 'text/plain' | 'text/html'; readonly text: string }
  | { readonly problem: string }

const BLANK_LINE = Buffer.from('\r\n\r\n')
const SNIFFED_BYTES = 1024
const OPTIONS = { maxOutputLength: MOST_LINE_BYTES } as const

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gunzipSync(bytes, OPTIONS),
  'x-gzip': (bytes) => gunzipSync(bytes, OPTIONS),
  deflate: (bytes) => inflateSync(bytes, OPTIONS),
  br: (bytes) => brotliDecompressSync(bytes, OPTIONS),
  zstd: (bytes) => zstdDecompressSync(bytes, OPTIONS),
}

/** Lower-case names. The first line, which is none, is left out; of two by one name the last counts. */
export function readHeaders(head: Buffer): Headers {
  // Lines that begin with a space continue the one before.
  const lines = head
    .toString('utf8')
    .replaceAll(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/)
    .slice(1)
  return new Map(
    lines.flatMap((line) => {
      const colon = line.indexOf(':')
      return colon === -1 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const]
    }),
  )
}

/** Undefined where the body is neither a page nor plain text. */
export function responseContent(message: Buffer): ResponseContent | undefined {
  const end = message.indexOf(BLANK_LINE)
  const status = Number(/^HTTP\/\S+ +(\d{3})/.exec(message.toString('latin1', 0, 32))?.[1])
  if (end === -1 || Number.isNaN(status)) return { problem: 'is no HTTP response' }
  const headers = readHeaders(message.subarray(0, end))
  const type = headers.get('content-type') ?? ''
  const mediaType = mediaTypeOf(type)
  if (mediaType === undefined) return undefined
  const body = decodedBody(message.subarray(end + BLANK_LINE.length), headers)
  return typeof body === 'string' ? { problem: body } : { status, mediaType, text: decodedText(body, type) }
}

function mediaTypeOf(contentType: string): 'text/plain' | 'text/html' | undefined {
  const written = contentType.split(';')[0]?.trim().toLowerCase()
  if (written === 'text/plain') return 'text/plain'
  return written === 'text/html' || written === 'application/xhtml+xml' ? 'text/html' : undefined
}

/** What is wrong, where it cannot be decoded. */
function decodedBody(body: Buffer, headers: Headers): Buffer | string {
  const isChunked = headers.get('transfer-encoding')?.toLowerCase().includes('chunked') === true
  let bytes = isChunked ? joinedChunks(body) : body
  for (const coding of (headers.get('content-encoding') ?? '')
    .toLowerCase()
    .split(',')
    .map((each) => each.trim())
    .toReversed()) {
    const decode = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined
    if (decode === undefined || bytes.length === 0) continue
    try {
      bytes = decode(bytes)
    } catch (cause) {
      return `cannot be decoded as ${coding}: ${(cause as Error).message}`
    }
  }
  return bytes
}

/** As it is where it has no chunks: many archives keep the header of what they have decoded. */
function joinedChunks(body: Buffer): Buffer {
  const chunks: Buffer[] = []
  for (let at = 0; at < body.length;) {
    const lineEnd = body.indexOf('\r\n', at)
    const size =
      lineEnd === -1 ? undefined : /^([0-9a-f]{1,8}) *(?:;|$)/i.exec(body.toString('latin1', at, Math.min(lineEnd, at + 100)))?.[1]
    if (size === undefined) return body
    const bytes = Number.parseInt(size, 16)
    if (bytes === 0) break
    chunks.push(body.subarray(lineEnd + 2, lineEnd + 2 + bytes))
    at = lineEnd + 2 + bytes + 2
  }
  return Buffer.concat(chunks)
}

/** By the character set that the header or the page names. Invalid bytes are replaced, as browsers do. */
function decodedText(bytes: Buffer, contentType: string): string {
  const label = charsetIn(contentType) ?? charsetIn(bytes.toString('latin1', 0, SNIFFED_BYTES))
  return (label === undefined ? decodeUtf8(bytes) : undefined) ?? decoderFor(label).decode(bytes)
}

const charsetIn = (text: string): string | undefined => /charset\s*=\s*["']?([\w.:-]+)/i.exec(text)?.[1]

function decoderFor(label: string | undefined): TextDecoder {
  try {
    return new TextDecoder(label ?? 'windows-1252')
  } catch {
    // Pages name character sets that do not exist; browsers read on, too.
    return new TextDecoder('utf-8')
  }
}
