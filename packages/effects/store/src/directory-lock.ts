// One process at a time on the directory of an embedded database: a second one would write over what the first has acknowledged. The lock is
// one of the operating system (SQLite's, on a file inside the directory), so it ends with the process, however that ends, and a reused
// process id cannot hold it. The holder is written next to it, for the message only.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { IronlawError } from '@ironlaw/contracts'

export type DirectoryLock = { readonly release: () => void }

export function lockDirectory(directory: string): DirectoryLock {
  mkdirSync(directory, { recursive: true })
  const holder = join(directory, 'ironlaw.holder')
  const lock = new DatabaseSync(join(directory, 'ironlaw.lock'))
  try {
    // On a file system without locks SQLite says so here, too.
    lock.exec('pragma busy_timeout = 0; begin exclusive')
  } catch (cause) {
    lock.close()
    throw new IronlawError(
      'IL_CONFLICT',
      {
        problem: `the database in ${directory} is in use by ${holderOf(holder)}`,
        next: 'stop that process, or give this one another directory or a PostgreSQL server: --database',
      },
      { cause },
    )
  }
  writeFileSync(holder, `process ${process.pid} on ${hostname()}`)
  return { release: () => lock.close() }
}

function holderOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // Given back since, or not readable to us: the message only lacks the number.
    return 'another process'
  }
}
