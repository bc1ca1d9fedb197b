// `ironlaw up`: a control plane on this machine. It is a process of its own, so that the commands that follow only know its API.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** As the server takes them, in the spelling of the command line's parser. */
export type UpFlags = Readonly<Record<string, string>>

/** Stays in the foreground and hands on signals: stopping it stops the control plane, never the jobs. */
export async function up(flags: UpFlags): Promise<void> {
  const argv = Object.entries(flags).flatMap(([name, value]) => [
    `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    value,
  ])
  const server = spawn(process.execPath, [fileURLToPath(import.meta.resolve('@ironlaw/server/main')), ...argv], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => server.kill(signal))
  const { promise, resolve } = Promise.withResolvers<number>()
  server.on('exit', (code) => resolve(code ?? 1))
  process.exitCode = await promise
}
