// One command of Slurm, with a time limit. What cannot reach the controller is `unreachable`, never an empty answer.

import { execFile } from 'node:child_process'
import type { Unreachable } from '../answers.ts'

export type CommandResult = { readonly answer: 'ran'; readonly status: number; readonly stdout: string; readonly stderr: string }
export type Environment = Readonly<Record<string, string>>

type Request = {
  readonly command: readonly [string, ...string[]]
  readonly environment: Environment
  readonly timeout_s: number
  readonly input?: string
}

// With the controller down, a command of 22.05 gives up after 9 s by itself.
export const TIMEOUT_S = 15

/** Texts of slurm_errno.h that speak of the way to the controller, or of a controller that cannot decide now, not of the request. */
const NO_CONTACT =
  /unable to contact|connect failure|connection refused|timed out|timeout|zero bytes|transport|communication|authentication|munge|socket|try again|temporarily|backup controller|in standby|name resolution|could not resolve|no route/i

export const runCommand = ({
  command: [file, ...args],
  environment,
  timeout_s,
  input = '',
}: Request): Promise<CommandResult | Unreachable> =>
  new Promise((resolve) => {
    const unreachable = (reason: string): void => resolve({ answer: 'unreachable', reason: `${file}: ${reason}` })
    const options = { env: environment, timeout: timeout_s * 1000, killSignal: 'SIGKILL', maxBuffer: 1 << 28 } as const
    const child = execFile(file, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve({ answer: 'ran', status: 0, stdout, stderr })
      if (typeof error.code !== 'number') return unreachable(error.killed === true ? `no answer in ${timeout_s} s` : error.message)
      return NO_CONTACT.test(stderr) ? unreachable(stderr.trim()) : resolve({ answer: 'ran', status: error.code, stdout, stderr })
    })
    // A command that exits without reading closes the pipe; its status says why.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
