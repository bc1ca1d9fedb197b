// The head of an engine's answer. Only what the gateway acts on is read.

export type ResponseHead = {
  readonly status: number
  readonly contentType: string
  readonly retryAfter_s: number | undefined
  readonly framing: { readonly kind: 'length'; readonly bytes: number } | { readonly kind: 'chunked' } | { readonly kind: 'until-close' }
  readonly keepAlive: boolean
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [^\r\n]*)?$/

/** `text` is the head without its empty line. Undefined where it is not HTTP. */
export function responseHead(text: string): ResponseHead | undefined {
  const [first = '', ...lines] = text.split('\r\n')
  const match = STATUS_LINE.exec(first)
  if (!match) return undefined
  const status = Number(match[2])
  let keepAlive = match[1] === '1'
  let bytes: number | undefined
  let chunked = false
  let contentType = ''
  let retryAfter_s: number | undefined
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon < 1) return undefined
    const value = line.slice(colon + 1).trim()
    switch (line.slice(0, colon).toLowerCase()) {
      case 'content-length':
        if (!/^\d{1,15}$/.test(value) || (bytes !== undefined && bytes !== Number(value))) return undefined
        bytes = Number(value)
        break
      case 'transfer-encoding':
        if (value.toLowerCase() !== 'chunked') return undefined
        chunked = true
        break
      case 'content-type':
        contentType = value
        break
      case 'connection':
        keepAlive = value.toLowerCase() !== 'close' && (keepAlive || value.toLowerCase() === 'keep-alive')
        break
      case 'retry-after':
        retryAfter_s = /^\d{1,6}$/.test(value) ? Number(value) : undefined
        break
    }
  }
  const framing = framingOf({ status, chunked, bytes })
  return { status, contentType, retryAfter_s, framing, keepAlive: keepAlive && framing.kind !== 'until-close' }
}

function framingOf(seen: {
  readonly status: number
  readonly chunked: boolean
  readonly bytes: number | undefined
}): ResponseHead['framing'] {
  if (seen.status === 204 || seen.status === 304) return { kind: 'length', bytes: 0 }
  if (seen.chunked) return { kind: 'chunked' }
  return seen.bytes === undefined ? { kind: 'until-close' } : { kind: 'length', bytes: seen.bytes }
}
