// Commands as another user, through setpriv of util-linux, which executes the command in its place. Whoever starts one gives setpriv a clean
// environment: it is still root when the loader reads LD_PRELOAD.

import type { UnixUser } from './unix-user.ts'

export const setprivArguments = (
  { uid, gid }: Pick<UnixUser, 'uid' | 'gid'>,
  groups: '--init-groups' | '--clear-groups',
): readonly string[] => [`--reuid=${uid}`, `--regid=${gid}`, groups, '--inh-caps=-all', '--no-new-privs', '--']

type Command = readonly [string, ...string[]]

/** As it is where this process is that user already. */
export const commandAs = (user: UnixUser | undefined, command: Command): Command =>
  user === undefined || user.uid === process.getuid?.() ? command : ['setpriv', ...setprivArguments(user, '--init-groups'), ...command]

export const userEnvironment = (user: UnixUser | undefined): Readonly<Record<string, string>> =>
  user === undefined ? {} : { HOME: user.home, USER: user.name, LOGNAME: user.name, SHELL: user.shell }
