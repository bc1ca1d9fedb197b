// What a program sees of the machine: the system's programs and libraries to read, a small directory in memory to write to, and no one else.

import { existsSync, lstatSync, readlinkSync } from 'node:fs'

export type SandboxLimits = {
  /** On the clock, of the whole program. */
  readonly time_s: number
  /** Address space of one process; also of all files together. */
  readonly memory_bytes: number
  /** Processes and threads at the same time. */
  readonly processes: number
  /** What it may print. */
  readonly output_bytes: number
}

/** Files in memory, so that they count as such. */
const MOST_FILES_BYTES = 64_000_000
const SHARED_BYTES = 8_000_000

/** Nobody: the user that a program is, inside, and outside where we are root. */
export const NOBODY = 65_534

/** File descriptor from which bubblewrap reads the filter of system calls. */
export const FILTER_DESCRIPTOR = 3

const NAMESPACES = ['user', 'pid', 'ipc', 'net', 'uts'] as const

export function sandboxArguments(folders: readonly string[], limits: SandboxLimits): readonly string[] {
  const files = Math.min(MOST_FILES_BYTES, limits.memory_bytes)
  const rules = [
    ...NAMESPACES.map((each) => `--unshare-${each}`),
    '--unshare-cgroup-try',
    // Without it a program could make a user namespace of its own, and in it file systems without a limit.
    '--disable-userns',
    '--cap-drop ALL',
    `--uid ${NOBODY} --gid ${NOBODY} --hostname sandbox`,
    '--die-with-parent --new-session',
    '--clearenv --setenv PATH /usr/bin:/bin --setenv HOME /scratch --setenv LANG C.UTF-8 --setenv PYTHONHASHSEED 0',
  ]
  return [
    ...rules.flatMap((rule) => rule.split(' ')),
    ...['/usr', '/bin', '/lib', '/lib64', '/sbin'].flatMap(systemFolder),
    ...['/etc/alternatives', '/etc/ld.so.cache'].flatMap((path) => ['--ro-bind-try', path, path]),
    ...folders.flatMap((path) => ['--ro-bind', path, path]),
    ...`--proc /proc --dev /dev --size ${SHARED_BYTES} --tmpfs /dev/shm --remount-ro /dev`.split(' '),
    ...`--size ${files} --tmpfs /scratch --symlink scratch /tmp --remount-ro / --chdir /scratch --seccomp ${FILTER_DESCRIPTOR}`.split(' '),
  ]
}

/** On most systems /bin and the like lead into /usr. */
function systemFolder(path: string): readonly string[] {
  if (!existsSync(path)) return []
  return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}

/** By the names of Python's `resource`. A core or a locked page is never needed; a message queue would be memory that nothing else counts. */
export const processLimits = ({ time_s, memory_bytes, processes }: SandboxLimits): Readonly<Record<string, number>> => ({
  RLIMIT_AS: memory_bytes,
  // The first process of the sandbox is bubblewrap's own.
  RLIMIT_NPROC: processes + 1,
  RLIMIT_CPU: Math.ceil(time_s) + 1,
  RLIMIT_FSIZE: Math.min(MOST_FILES_BYTES, memory_bytes),
  RLIMIT_NOFILE: 64,
  RLIMIT_CORE: 0,
  RLIMIT_MEMLOCK: 0,
  RLIMIT_MSGQUEUE: 0,
})
