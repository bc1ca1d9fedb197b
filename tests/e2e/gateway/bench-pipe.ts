// The least that a proxy in this runtime does: a socket on each side, bytes passed on unread. node bench-pipe.ts PORT ENGINE-PORT

import { connect, createServer } from 'node:net'

const [port = '0', engine = '0'] = process.argv.slice(2)
createServer({ noDelay: true }, (socket) => {
  const upstream = connect({ port: Number(engine), host: '127.0.0.1', noDelay: true })
  socket.on('data', (data) => upstream.write(data)).on('error', () => undefined)
  upstream.on('data', (data) => socket.write(data)).on('error', () => undefined)
  socket.on('close', () => upstream.destroy())
  upstream.on('close', () => socket.destroy())
}).listen({ port: Number(port), host: '127.0.0.1', backlog: 4096 })
