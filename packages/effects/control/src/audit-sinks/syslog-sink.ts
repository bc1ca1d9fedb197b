// Syslog messages (RFC 5424) over UDP (RFC 5426), TCP (RFC 6587, octet counting) or TLS (RFC 5425). Syslog has no acknowledgement: a line counts
// as sent once the system took it, and what was on its way when a connection broke is lost.

import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect as connectTcp, isIPv6, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { connect as connectTls } from 'node:tls'
import type { AuditLine, AuditSink } from './sink.ts'

export type SyslogTarget = {
  readonly transport: 'udp' | 'tcp' | 'tls'
  readonly host: string
  readonly port: number
  /** PEM of the authority that signed its certificate, if the system does not know it. */
  readonly ca?: string
}

const CONNECT_WITHIN_MS = 10_000

/** Facility 13 is "log audit"; severity 4 a warning, 5 a notice. */
const AUDIT_FACILITY = 13
const priority = (isRefusal: boolean): number => AUDIT_FACILITY * 8 + (isRefusal ? 4 : 5)

export function syslogMessage({ at, isRefusal, text }: AuditLine, host = hostname()): string {
  const name = host.replaceAll(/[^\x21-\x7E]/g, '').slice(0, 255) || '-'
  return `<${priority(isRefusal)}>1 ${new Date(at * 1000).toISOString()} ${name} ironlaw ${process.pid} audit - ${text}`
}

export const syslogSink = (target: SyslogTarget): AuditSink => (target.transport === 'udp' ? udpSink(target) : streamSink(target))

function udpSink({ host, port }: SyslogTarget): AuditSink {
  let socket: UdpSocket | undefined
  const opened = (): UdpSocket => {
    if (socket) return socket
    const made = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
    made.on('error', () => made.close())
    made.on('close', () => (socket = undefined))
    made.unref()
    socket = made
    return made
  }
  return {
    write: async (lines) => {
      for (const line of lines) {
        const { promise, resolve, reject } = Promise.withResolvers<void>()
        opened().send(syslogMessage(line), port, host, (error) => (error ? reject(error) : resolve()))
        await promise
      }
    },
    close: () => socket?.close(),
  }
}

function streamSink(target: SyslogTarget): AuditSink {
  let socket: Socket | undefined
  return {
    write: async (lines) => {
      const open = socket?.writable ? socket : await connected(target)
      socket = open
      const frames = lines.map((line) => {
        const message = syslogMessage(line)
        return `${Buffer.byteLength(message)} ${message}`
      })
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      open.write(frames.join(''), (error) => (error ? reject(error) : resolve()))
      await promise
    },
    close: () => socket?.end(),
  }
}

async function connected({ transport, host, port, ca }: SyslogTarget): Promise<Socket> {
  const socket =
    transport === 'tls' ? connectTls({ host, port, ...(ca !== undefined && { ca }), servername: serverName(host) }) : connectTcp(port, host)
  // After it was connected, an error shows at the next write.
  socket.on('error', () => socket.destroy())
  socket.on('end', () => socket.destroy())
  socket.resume()
  try {
    await once(socket, transport === 'tls' ? 'secureConnect' : 'connect', { signal: AbortSignal.timeout(CONNECT_WITHIN_MS) })
  } catch (cause) {
    socket.destroy()
    throw cause
  }
  socket.unref()
  return socket
}

/** An address is no name that TLS could ask for. */
const serverName = (host: string): string => (/^[\d.]+$|:/.test(host) ? '' : host)
