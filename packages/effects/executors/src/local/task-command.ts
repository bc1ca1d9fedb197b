// The command line that starts the program of a node as the user of its job: in PID and mount namespaces of its own where the kernel allows
// it, in a control group where there is one. The user itself enters the directory, opens the log and reads the environment, from descriptor 3:
// root follows no link that a job has made, and loads no library that a job names. An argument list would show the values to everybody.

import { execFileSync } from 'node:child_process'
import { setprivArguments } from '../users/command-as.ts'
import type { UnixUser } from '../users/unix-user.ts'

/** Makes what is in /proc, and what can be signalled, the job's own; mounts of the machine still arrive. */
const UNSHARE = ['unshare', '--pid', '--fork', '--mount', '--propagation', 'slave', '--mount-proc', '--'] as const

const JOIN_GROUP = 'echo $$ > "$0/cgroup.procs" && exec "$@"'

const ENTER = 'umask 077; mkdir -p -- "$1" && exec >> "$2" 2>&1 && cd -- "$3" || exit 126; eval "$(cat <&3)"; exec 3<&-; shift 3;'

type TaskPlaces = { readonly logDirectory: string; readonly log: string; readonly directory: string }

type TaskOptions = TaskPlaces & {
  readonly user: UnixUser
  readonly isolated: boolean
  readonly controlGroup: string | undefined
}

/** Process 1 of a namespace gets no signal that it does not handle, so the program is its child. */
export const taskCommand = (argv: readonly string[], options: TaskOptions): readonly string[] => [
  ...(options.controlGroup === undefined ? [] : ['/bin/sh', '-c', JOIN_GROUP, options.controlGroup]),
  ...(options.isolated ? UNSHARE : []),
  ...(options.user.uid === process.getuid?.() ? [] : ['setpriv', ...setprivArguments(options.user, '--init-groups')]),
  '/bin/sh',
  '-c',
  `${ENTER} ${options.isolated ? '"$@"; exit $?' : 'exec "$@"'}`,
  'sh',
  options.logDirectory,
  options.log,
  options.directory,
  ...argv,
]

export const exportsOf = (environment: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(environment)
    .map(([name, value = '']) => `export ${name}='${value.replaceAll("'", `'\\''`)}'\n`)
    .join('')

/** Undefined where namespaces can be made, else why not. */
export function isolationProblem(): string | undefined {
  const [command, ...args] = UNSHARE
  try {
    execFileSync(command, [...args, 'true'], { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' })
    return undefined
  } catch (cause) {
    return cause instanceof Error ? cause.message.trim() : String(cause)
  }
}
