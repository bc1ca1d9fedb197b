// Requests that are wrong in some way, from a seed: heads, bodies, sizes, characters, types, nesting, framing. Some are right by chance.

export type Malformed = { readonly bytes: Buffer; /** Nothing can be told about where the next request begins. */ readonly closes: boolean }

export type Draw = () => number

export function seeded(seed: number): Draw {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const VALUES = [
  'null',
  'true',
  '-1',
  '1e999',
  '0.5',
  '""',
  '"\\ud800"',
  '"\u0000"',
  '[]',
  '{}',
  '[[[[]]]]',
  '9007199254740993',
  '"m"',
  '"constructor"',
  '"__proto__"',
  '{"a":',
  '[1,',
  'undefined',
  "'m'",
  '"é\\u202e"',
  '[null]',
  '[{}]',
  '[{"role":1}]',
  '[{"role":"user","content":"hi"}]',
  '[{"role":"user","content":[{"type":"text","text":"x"}]}]',
]
const NAMES = [
  'model',
  'messages',
  'prompt',
  'input',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'n',
  'user',
  '__proto__',
  'constructor',
  'seed',
  'stop',
  '',
]
const PATHS = [
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/models',
  '/v1/models/m',
  '/v1/models/%00',
  '/',
  '/v1',
  '//v1/chat/completions',
  '/v1/chat/completions?x=1',
  '/V1/CHAT/COMPLETIONS',
  '/v1/../v1/models',
  '*',
  '/%ff',
  '/v1/chat/completions/',
]
const METHODS = ['POST', 'POST', 'POST', 'POST', 'GET', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE', 'post', 'P\u0000ST', 'FOO']
const TYPES = [
  'application/json',
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  '',
  'application/json, text/html',
  'multipart/form-data',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  'application/cbor',
  'application/x-ndjson',
  'text/event-stream',
  'application/json; charset=utf-16le',
  'APPLICATION/JSON',
]
const HEADERS = [
  'x-request-id: a b',
  'x-request-id: ok-1',
  `x-request-id: ${'x'.repeat(300)}`,
  'x-request-timeout-s: -1',
  'x-request-timeout-s: 1e9',
  'x-request-timeout-s: 5',
  'x-stainless-timeout: NaN',
  'content-encoding: gzip',
  'expect: 100-continue',
  'expect: nonsense',
  'connection: close',
  'connection: upgrade\r\nupgrade: h2c',
  'traceparent: 00-zz',
  'accept: \u0001',
  ': nameless',
  'bad header',
  `x-long: ${'y'.repeat(20_000)}`,
  'cookie: a=b',
  'range: bytes=0-1',
  'te: trailers',
]

export function malformedRequest(draw: Draw, keys: readonly string[]): Malformed {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(draw() * from.length)] ?? raise()
  const method = draw() < 0.7 ? 'POST' : pick(METHODS)
  const path = draw() < 0.6 ? pick(PATHS.slice(0, 3)) : pick(PATHS)
  const body = bodyOf(draw, pick)
  const lines = [`${method} ${path} ${draw() < 0.97 ? 'HTTP/1.1' : pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/9', ''])}`, 'host: x']
  if (draw() < 0.9) lines.push(`authorization: ${draw() < 0.9 ? 'Bearer ' : pick(['', 'Basic ', 'bearer  ', 'Bearer\u0000'])}${pick(keys)}`)
  if (draw() < 0.95) lines.push(`content-type: ${draw() < 0.85 ? 'application/json' : pick(TYPES)}`)
  while (draw() < 0.25) lines.push(pick(HEADERS))
  const framing = draw()
  let text = body
  if (framing < 0.9) lines.push(`content-length: ${body.length}`)
  else if (framing < 0.94) {
    lines.push('transfer-encoding: chunked')
    text = Buffer.from(`${body.length.toString(16)}\r\n${body.toString('latin1')}\r\n0\r\n\r\n`, 'latin1')
  } else
    lines.push(
      pick([
        'content-length: -1',
        'content-length: 5, 6',
        `content-length: ${body.length + 50}`,
        'transfer-encoding: gzip',
        'content-length: 4\r\ntransfer-encoding: chunked',
        'transfer-encoding: chunked',
        'content-length: 1e3',
        `content-length: ${10 ** 12}`,
      ]),
    )
  const head = draw() < 0.98 ? `${lines.join('\r\n')}\r\n\r\n` : `${lines.join(pick(['\n', '\r', '\r\n\r\n', '\u0000']))}\r\n\r\n`
  const closes = framing >= 0.9 || lines.some((line) => /^(?:expect|connection|: |bad|accept|x-long)|HTTP\/1\.0|HEAD/.test(line))
  return { bytes: Buffer.concat([Buffer.from(head, 'latin1'), text]), closes }
}

function bodyOf(draw: Draw, pick: <T>(from: readonly T[]) => T): Buffer {
  const kind = draw()
  if (kind < 0.1) return Buffer.from(Array.from({ length: Math.floor(draw() * 64) }, () => Math.floor(draw() * 256)))
  if (kind < 0.13) return Buffer.from(pick(['[', '{"a":']).repeat(Math.floor(draw() * 3000)))
  if (kind < 0.14) return Buffer.from(`{"model":"m","messages":[{"role":"user","content":"${'x'.repeat(Math.floor(draw() * 40_000))}"}]}`)
  if (kind < 0.3) return Buffer.from(structuredBody(draw, pick))
  const fields = new Map<string, string>([
    ['model', '"m"'],
    ['messages', '[{"role":"user","content":"tokens=1"}]'],
    ['prompt', '"tokens=1"'],
    ['input', '"x"'],
  ])
  for (let change = 0; change < 1 + draw() * 3; change += 1) {
    if (draw() < 0.25) fields.delete(pick(NAMES))
    else fields.set(pick(NAMES), pick(VALUES))
  }
  const text = `{${[...fields].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`
  const bytes = Buffer.from(text)
  if (draw() < 0.15) bytes[Math.floor(draw() * bytes.length)] = Math.floor(draw() * 256)
  return draw() < 0.05 ? bytes.subarray(0, Math.floor(draw() * bytes.length)) : bytes
}

/** Valid JSON of an unusual shape, in a field that the gateway reads or in one that it passes on. */
function structuredBody(draw: Draw, pick: <T>(from: readonly T[]) => T): string {
  const size = Math.floor(2 ** (draw() * 12))
  const shape = pick([
    () => '['.repeat(size) + ']'.repeat(size),
    () => `${'{"a":'.repeat(size)}1${'}'.repeat(size)}`,
    () => `${'[{"a":'.repeat(size / 2)}""${'}]'.repeat(size / 2)}`,
    () => `[${Array.from({ length: size }, () => pick(['1', '"x"', 'null', '[]', '{}', '-1', '1e400', '9007199254740993'])).join(',')}]`,
    () => `{${Array.from({ length: size / 4 }, (_, index) => `"${pick(['f', '', '__proto__', '\\u0000'])}${index}":${index}`).join(',')}}`,
    () => `{${Array.from({ length: size / 8 }, () => `"${pick(NAMES)}":${pick(['1', '"m"', 'null'])}`).join(',')}}`,
    () => `"${Array.from({ length: size / 4 }, () => pick(['\\ud800', '\\udfff', '\\ud83d\\ude00', 'é', '\\u0000', '\\"'])).join('')}"`,
  ])
  const field = pick([...NAMES, 'metadata', 'tools', 'response_format', 'logit_bias'])
  const base = ['"model":"m"', '"messages":[{"role":"user","content":"tokens=1"}]', '"prompt":"tokens=1"', '"input":"x"']
  const rest = draw() < 0.2 ? base : base.filter((one) => !one.startsWith(`"${field}"`))
  const at = Math.floor(draw() * (rest.length + 1))
  const message = `"messages":[{"role":"user","content":${shape()}}]`
  const own = draw() < 0.15 ? message : `${JSON.stringify(field)}:${shape()}`
  return `{${[...rest.slice(0, at), own, ...rest.slice(at)].join(',')}}`
}

function raise(): never {
  throw new Error('nothing to pick from')
}
