// One mistake, made: what the user sees, and what is left of it when numbers that differ from time to time are replaced.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { TestHome } from './files.ts'
import type { Mistake } from './mistakes.ts'

/** Everything that a mistake prints, and how it ends. */
export type Outcome = { readonly exit: number | null; readonly output: string; readonly errors: string }

export type Ports = Readonly<Record<'api' | 'busy' | 'free' | 'database', number>>

/** Beyond it a command hangs, which is a mistake of ours. */
const LONGEST_MS = 120_000
const LOOK_MS = 20

export async function makeMistake({ command, keys }: Mistake, { folder, environment }: TestHome, ports: Ports): Promise<Outcome> {
  const line = command.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(new Map(Object.entries(ports)).get(name) ?? name))
  const [program = '', ...args] = keys ? ['script', '--quiet', '--return', '--command', line, '/dev/null'] : ['bash', '-c', line]
  const child = spawn(program, args, {
    cwd: folder,
    env: environment,
    stdio: [keys ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    timeout: LONGEST_MS,
    killSignal: 'SIGKILL',
  })
  let [output, errors] = ['', '']
  child.stdout?.on('data', (data: Buffer) => (output += data.toString('utf8')))
  child.stderr?.on('data', (data: Buffer) => (errors += data.toString('utf8')))
  const closed = once(child, 'close')
  if (keys) {
    const { after } = keys
    const isTime = (): boolean => (after instanceof RegExp ? after.test(output) : existsSync(join(folder, after.file)))
    while (!isTime() && child.exitCode === null && child.signalCode === null) await pause(LOOK_MS)
    child.stdin?.write(keys.press)
  }
  await closed
  // In a terminal both streams are one.
  return { exit: child.exitCode, output, errors: keys ? output.replaceAll('\r', '') : errors }
}

/** The message as the page shows it. */
export type Message = { readonly exit: number | null; readonly code: string; readonly message: string; readonly next: string }

const ERROR = /^error (IL_\w+): ([\s\S]*?)\n {2}next: (.*)$/m
const INTERRUPTION = /^(interrupted): (.*); next: (.*)$/m
/** The last line of a run that was followed to its end. */
const FAILED_RUN = /^\S+ {2}failed {2}(\S+): (.*)\n {2}next: (.*)$/m

/** Undefined where the output has no error in the form that all have. */
export function messageIn({ exit, output, errors }: Outcome): Message | undefined {
  const [, code, message, next] = ERROR.exec(errors) ?? INTERRUPTION.exec(errors) ?? FAILED_RUN.exec(output) ?? []
  return code === undefined || message === undefined || next === undefined ? undefined : { exit, code, message, next }
}

/** Ports as the page shows them: those that people have. */
export const SHOWN: Readonly<Record<keyof Ports, string>> = { api: '7600', busy: '7600', free: '7601', database: '5432' }

export function steady(message: Message, { home }: TestHome, ports: Ports): Message {
  const named = (text: string): string =>
    Object.entries(ports)
      .reduce((shown, [name, port]) => shown.replaceAll(String(port), new Map(Object.entries(SHOWN)).get(name) ?? ''), text)
      .replaceAll(home, '~')
      .replaceAll(/process \d+ on \S+/g, 'process 4711 on this-machine')
      .replaceAll(/\b(sleep|waits|absent)-[a-z\d]{10}\b/g, '$1-x7k2m9pq4r')
  return { ...message, message: named(message.message), next: named(message.next) }
}
