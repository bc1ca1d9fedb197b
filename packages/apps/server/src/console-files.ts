// The console's built site, in front of the API on the same port: a page needs no token, but the API requests that it makes do. The API
// refuses whatever comes without one, so these files are answered before it sees the request.

import { createReadStream, existsSync, statSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { isEncrypted, STRICT_TRANSPORT } from '@ironlaw/control/api-headers'
import { extname, join, normalize } from 'node:path'

const PLACE = '/console/'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** A reload keeps what stands behind "#", so a link that was opened early still works. */
const BEING_BUILT =
  '<!doctype html><meta http-equiv="refresh" content="2"><title>Ironlaw</title><p>The console is being built; it opens in some seconds.'
const NOT_BUILT =
  '<!doctype html><title>Ironlaw</title><p>The console was not built: "ironlaw up" says why where it was started. The API works without it.'

export type ConsoleFiles = {
  readonly folder: string
  /** Whether it will be there soon. */
  readonly isBuilding?: () => boolean
}

/** Only files of this site, nothing inline; charts are saved by way of an image from a `data:` URL. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
]

/** The page holds a token: no other site may frame it, open it as its own, or run anything in it. */
export const CONSOLE_HEADERS = {
  'content-security-policy': POLICY.join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=(), display-capture=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Gives the path of the page, or undefined where the site was not built and is not being built. */
export function serveConsole(server: Server, { folder, isBuilding = () => false }: ConsoleFiles): string | undefined {
  if (!existsSync(join(folder, 'index.html')) && !isBuilding()) return undefined
  const others = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    if (!serveFile(request, response, { folder, isBuilding })) for (const other of others) Reflect.apply(other, server, [request, response])
  })
  return PLACE
}

function serveFile(
  { method, url = '', socket }: IncomingMessage,
  response: ServerResponse,
  { folder, isBuilding }: Required<ConsoleFiles>,
): boolean {
  const path = url.split('?')[0] ?? ''
  if (method !== 'GET' || !(path === '/' || path === '/console' || path.startsWith(PLACE))) return false
  const headers = { ...CONSOLE_HEADERS, ...(isEncrypted(socket) && STRICT_TRANSPORT) }
  if (!path.startsWith(PLACE)) {
    response.writeHead(302, { ...headers, location: PLACE }).end()
    return true
  }
  const file = fileAt(folder, path.slice(PLACE.length) || 'index.html')
  if (file === undefined && path === PLACE) {
    const type = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }
    response.writeHead(503, { ...headers, ...type, 'retry-after': '2' }).end(isBuilding() ? BEING_BUILT : NOT_BUILT)
  } else if (file === undefined) response.writeHead(404, headers).end()
  else {
    // Names of assets carry a hash of their content.
    const cache = path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
    response.writeHead(200, { ...headers, 'content-type': TYPES[extname(file)] ?? 'application/octet-stream', 'cache-control': cache })
    createReadStream(file).pipe(response)
  }
  return true
}

/** Undefined for what is not there, or not inside. Names of the site need no escapes, so one in a path is not decoded. */
function fileAt(folder: string, path: string): string | undefined {
  const file = normalize(join(folder, path))
  return file.startsWith(normalize(`${folder}/`)) && existsSync(file) && statSync(file).isFile() ? file : undefined
}
