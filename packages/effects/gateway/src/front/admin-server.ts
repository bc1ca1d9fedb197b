// The second listener, for operators of the gateway: health and metrics, never on the clients' port.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Context } from '../context.ts'
import { contain } from './edge.ts'
import { type SnapshotStatus, statusMetrics } from '../configuration/snapshot-status.ts'

export type AdminOptions = {
  readonly context: Context
  readonly isDraining: () => boolean
  readonly snapshotStatus: (() => SnapshotStatus) | undefined
}

export function adminServer({ context, isDraining, snapshotStatus }: AdminOptions): Server {
  const { metrics, directory, held, unexpected, isStale } = context
  const handleRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const unready = isDraining() ? 'draining' : isStale() ? 'configuration too old' : undefined
    if (request.url === '/metrics')
      sendText(response, {
        status: 200,
        text: `${metrics.text(directory, { held_bytes: held.total })}${snapshotStatus ? statusMetrics(snapshotStatus()) : ''}`,
      })
    else if (request.url === '/health/ready' || request.url === '/health')
      sendText(response, unready === undefined ? { status: 200, text: 'ready\n' } : { status: 503, text: `${unready}\n` })
    else sendText(response, request.url === '/health/live' ? { status: 200, text: 'live\n' } : { status: 404, text: 'not found\n' })
  }
  return createServer((request, response) =>
    contain(
      () => handleRequest(request, response),
      (cause) => {
        unexpected(cause)
        // A check that breaks says that the gateway is not well, not that it is gone.
        if (response.headersSent) response.destroy()
        else sendText(response, { status: 503, text: 'failed\n' })
      },
    ),
  )
}

function sendText(response: ServerResponse, { status, text }: { readonly status: number; readonly text: string }): void {
  response.writeHead(status, { 'content-type': 'text/plain; version=0.0.4' })
  response.end(text)
}
