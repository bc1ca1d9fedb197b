// A daemon of a testbed: detached, known by the log in the testbed's folder that it holds open.

import { type SpawnOptions, execFile, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { everyPid, openFilesOf, programOf } from './processes.ts'

/** Daemons stand in a folder that a person's PATH may lack. */
export const PATH = `${process.env.PATH}${delimiter}/usr/sbin`

export const isInstalled = (program: string): boolean => PATH.split(delimiter).some((folder) => existsSync(join(folder, program)))

type DaemonOptions = {
  readonly dir: string
  readonly name: string
  readonly command: readonly [string, ...string[]]
  readonly env?: Readonly<Record<string, string>>
}

export function startDaemon({ dir, name, command: [file, ...args], env = {} }: DaemonOptions): void {
  const output = openSync(outputOf(dir, name), 'a')
  const child = spawn(file, args, { cwd: dir, env: { PATH, ...env }, stdio: ['ignore', output, output], detached: true })
  child.unref()
  closeSync(output)
}

/** Slurm's daemons write their title over their environment, so a mark there would be lost; a step daemon keeps its node's log open. */
export function daemonsOf(dir: string, name: string): readonly number[] {
  const held = new Set([outputOf(dir, name), join(dir, 'log', `${name}.log`)])
  return everyPid().filter((pid) => /^(?:slurm|munged)/.test(programOf(pid)) && openFilesOf(pid).some((file) => held.has(file)))
}

const outputOf = (dir: string, name: string): string => join(dir, 'log', `${name}.out`)

type CommandResult = { readonly status: number; readonly stdout: string; readonly stderr: string }

/** Runs a command to its end; a status other than 0 is an answer. */
export const run = (file: string, args: readonly string[], options: SpawnOptions = {}): Promise<CommandResult> =>
  new Promise((resolve) => {
    execFile(file, args, { encoding: 'utf8', timeout: 60_000, ...options, shell: false }, (error, stdout, stderr) => {
      resolve({
        status: error === null ? 0 : typeof error.code === 'number' ? error.code : 1,
        stdout,
        stderr: stderr || (error?.message ?? ''),
      })
    })
  })

export async function mustRun(file: string, args: readonly string[], options: SpawnOptions = {}): Promise<string> {
  const { status, stdout, stderr } = await run(file, args, options)
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${status}: ${stderr.trim()}`)
  return stdout
}

export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited 30 s for ${what}`)
    await sleep(50)
  }
}
