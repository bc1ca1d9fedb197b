// Runs a program of the server's package as a separate process: commands know only its flags and its exit status.

import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

type StartOptions = {
  /** Also forward signals to the processes that the program has started. */
  readonly group?: boolean
  /** Added to our environment. */
  readonly environment?: Readonly<Record<string, string>>
}

/**
 * Stays in the foreground and forwards each signal once: the program has its own process group, so it does not also get the terminal's
 * Ctrl-C, and a second Ctrl-C ends it at once. Returns the program's exit status.
 */
export async function startProgram(
  entry: string,
  argv: readonly string[],
  { group = false, environment = {} }: StartOptions = {},
): Promise<number> {
  const program = spawn(process.execPath, [fileURLToPath(import.meta.resolve(entry)), ...argv], {
    stdio: 'inherit',
    detached: true,
    env: { ...process.env, ...environment },
  })
  // The program is in another process group, so a closed terminal does not end it by itself.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)
    process.on(signal, () => (group && program.pid !== undefined ? process.kill(-program.pid, signal) : program.kill(signal)))
  const { promise, resolve } = Promise.withResolvers<number>()
  program.on('exit', (code, signal) => resolve(code ?? (signal === null ? 1 : 128 + constants.signals[signal])))
  return promise
}
