// A directory on a file system that hangs, where this machine lets us mount one.

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const CAN_HANG = process.getuid?.() === 0 && existsSync('/dev/fuse') && spawnSync('unshare', ['-m', 'true']).status === 0

export const makePipe = (file: string): void => void execFileSync('mkfifo', [file])

export type HangingFiles = {
  readonly directory: string
  /** Every call that hangs fails then, as when a server of NFS is declared lost. */
  readonly release: () => Promise<void>
}

export async function hangingFiles(): Promise<HangingFiles> {
  const directory = mkdtempSync(join(tmpdir(), 'ironlaw-hanging-'))
  const server: ChildProcess = spawn('/usr/bin/python3', [join(import.meta.dirname, 'hanging-files.py'), directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (!server.stdout) throw new Error('no output')
  await Promise.race([once(server.stdout, 'data'), once(server, 'exit').then(() => Promise.reject(new Error('cannot mount')))])
  let isReleased = false
  return {
    directory,
    release: async () => {
      if (isReleased) return
      isReleased = true
      const exit = once(server, 'exit')
      server.kill('SIGKILL')
      await exit
      execFileSync('umount', ['-l', directory])
      rmdirSync(directory)
    },
  }
}
