// A PostgreSQL server for one test file, in a temporary folder, reached through a socket there: no port to collide on.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const [BINARIES] = globSync('/usr/lib/postgresql/*/bin').toSorted()

export const SERVER_ABSENT =
  BINARIES === undefined ? 'no PostgreSQL server under /usr/lib/postgresql: apt-get install postgresql' : undefined

export type PrivateServer = { readonly url: string; readonly stop: () => Promise<void> }

/** The server refuses to run as root; an ordinary user starts it as himself. */
function owner(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** `more` settings win over those that are good for tests. */
export async function startPrivateServer(more: readonly string[] = []): Promise<PrivateServer> {
  const directory = mkdtempSync(join(tmpdir(), 'ironlaw-store-'))
  const as = owner()
  if (as) chownSync(directory, as.uid, as.gid)
  const data = join(directory, 'data')
  const initdb = ['-D', data, '-A', 'trust', '-U', 'postgres', '--locale=C.UTF-8', '--no-sync']
  execFileSync(join(BINARIES ?? '', 'initdb'), initdb, { ...as, cwd: directory, stdio: 'pipe' })
  const settings = ['listen_addresses=', `unix_socket_directories=${directory}`, 'fsync=off', 'max_connections=100', ...more]
  const server = spawn(join(BINARIES ?? '', 'postgres'), ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
    ...as,
    cwd: directory,
    stdio: 'ignore',
  })
  const kill = (): boolean => server.kill('SIGQUIT')
  process.once('exit', kill)
  await waitUntilReady(server, join(data, 'postmaster.pid'))
  const stop = async (): Promise<void> => {
    process.off('exit', kill)
    const gone = once(server, 'exit')
    server.kill('SIGINT')
    await gone
    rmSync(directory, { recursive: true, force: true })
  }
  return { url: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(directory)}`, stop }
}

/** The server writes its state into the last line of this file. */
async function waitUntilReady(server: ChildProcess, status: string): Promise<void> {
  while (!existsSync(status) || !/^ready\s*$/m.test(readFileSync(status, 'utf8'))) {
    if (server.exitCode !== null) throw new Error(`postgres exited with ${server.exitCode}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
