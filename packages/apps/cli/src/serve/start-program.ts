// A program of the server's package in a process of its own: commands know its flags and its exit status, nothing else of it.

import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

export type ProgramFlags = Readonly<Record<string, string | boolean | undefined>>

type StartOptions = {
  readonly positionals?: readonly string[]
  /** Signals go to everything that the program has started, too. */
  readonly group?: boolean
  /** Added to ours. */
  readonly environment?: Readonly<Record<string, string>>
}

/**
 * Stays in the foreground and hands on signals, each once: in a group of its own the program does not hear the terminal's Ctrl-C beside
 * ours, and a second one ends it at once. The exit status is the program's.
 */
export async function startProgram(
  entry: string,
  flags: ProgramFlags,
  { positionals = [], group = false, environment = {} }: StartOptions = {},
): Promise<number> {
  const argv = Object.entries(flags).flatMap(([name, value]) => {
    const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    return value === undefined || value === false ? [] : value === true ? [flag] : [flag, value]
  })
  const program = spawn(process.execPath, [fileURLToPath(import.meta.resolve(entry)), ...argv, ...positionals], {
    stdio: 'inherit',
    detached: true,
    env: { ...process.env, ...environment },
  })
  // A terminal that is closed ends the program too, which does not belong to it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)
    process.on(signal, () => (group && program.pid !== undefined ? process.kill(-program.pid, signal) : program.kill(signal)))
  const { promise, resolve } = Promise.withResolvers<number>()
  program.on('exit', (code, signal) => resolve(code ?? (signal === null ? 1 : 128 + constants.signals[signal])))
  return promise
}
