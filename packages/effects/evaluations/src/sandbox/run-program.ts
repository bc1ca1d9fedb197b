// A program that nobody has read, run by bubblewrap. Whatever it does, it ends with the sandbox: its processes have a namespace of their own, whose
// first process dies with us.

import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { type Interpreter } from './interpreter.ts'
import { PYTHON_RUNNER, REPORT_DESCRIPTOR } from './python-runner.ts'
import { FILTER_DESCRIPTOR, NOBODY, processLimits, sandboxArguments, type SandboxLimits } from './sandbox-arguments.ts'
import { sandboxError } from './sandbox-error.ts'
import { systemCallFilter } from './system-call-filter.ts'

export type Sandbox = {
  readonly interpreter: Interpreter
  readonly limits: SandboxLimits
  /** bwrap when left out. */
  readonly command?: string
}

export type Program = {
  readonly program: string
  /** Run after it, in the same module. */
  readonly tests: string
}

export type ProgramOutcome = {
  readonly ended: 'passed' | 'failed' | 'timed-out' | 'printed-too-much'
  /** The last of what it printed as errors. */
  readonly errors: string
}

const MOST_ERRORS = 4000
/** Longer than any word of the runner. */
const MOST_REPORT = 1000

export async function runProgram(sandbox: Sandbox, { program, tests }: Program): Promise<ProgramOutcome> {
  const { limits } = sandbox
  const filter = systemCallFilter(process.arch)
  if (!filter) throw sandboxError(`the system calls of ${process.arch} are not known`)
  const mark = randomBytes(16).toString('hex')
  const child = startSandbox(sandbox)
  const seen = watchOutput(child, limits)
  sendBytes(child.stdio[FILTER_DESCRIPTOR], filter)
  sendBytes(child.stdin, JSON.stringify({ mark, limits: processLimits(limits), program, tests }))
  const timer = setTimeout(() => seen.stop('timed-out'), 1000 * limits.time_s)
  try {
    const [status] = await once(child, 'close')
    if (!seen.report().startsWith(BEGAN)) throw sandboxError(seen.errors().trim() || 'bubblewrap ended without a word')
    const isPassed = status === 0 && seen.report() === `${BEGAN}${mark}`
    return { ended: seen.stopped() ?? (isPassed ? 'passed' : 'failed'), errors: seen.errors() }
  } catch (cause) {
    throw isMissing(cause) ? sandboxError('bubblewrap (bwrap) is not installed', cause) : cause
  } finally {
    clearTimeout(timer)
  }
}

const BEGAN = 'began'
const isMissing = (cause: unknown): boolean => cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'

function startSandbox({ interpreter: { path, folders }, limits, command = 'bwrap' }: Sandbox): ChildProcess {
  const stdio = Array.from({ length: Math.max(FILTER_DESCRIPTOR, REPORT_DESCRIPTOR) + 1 }, () => 'pipe' as const)
  return spawn(command, [...sandboxArguments(folders, limits), '--', path, '-I', '-c', PYTHON_RUNNER], {
    cwd: '/',
    // The first process of the sandbox keeps it where a program can read it.
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    stdio,
    // The limit of processes does not hold for root.
    ...(process.getuid?.() === 0 && { uid: NOBODY, gid: NOBODY }),
  })
}

type Stop = Extract<ProgramOutcome['ended'], 'timed-out' | 'printed-too-much'>

function watchOutput(child: ChildProcess, { output_bytes }: SandboxLimits) {
  let printed = 0
  let errors = ''
  let report = ''
  let stopped: Stop | undefined
  const stop = (why: Stop): void => {
    stopped ??= why
    child.kill('SIGKILL')
  }
  const count = (bytes: Buffer): void => {
    printed += bytes.length
    if (printed > output_bytes) stop('printed-too-much')
  }
  child.stdout?.on('data', count)
  child.stderr?.on('data', (bytes: Buffer) => {
    count(bytes)
    errors = (errors + bytes.toString()).slice(-MOST_ERRORS)
  })
  readableOf(child.stdio[REPORT_DESCRIPTOR])?.on('data', (bytes: Buffer) => {
    report = (report + bytes.toString('latin1')).slice(0, MOST_REPORT)
  })
  return { stop, errors: () => errors, report: () => report, stopped: () => stopped }
}

type Stream = Readable | Writable | null | undefined
const readableOf = (stream: Stream): Readable | undefined => (stream && 'read' in stream ? stream : undefined)

function sendBytes(stream: Stream, bytes: Buffer | string): void {
  if (!stream || !('write' in stream)) return
  // Where the sandbox ended before it read, how it ended says so.
  stream.on('error', () => undefined)
  stream.end(bytes)
}
