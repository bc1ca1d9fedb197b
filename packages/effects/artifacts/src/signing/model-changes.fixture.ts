// What can happen to a signed directory, and what verification says of it. OpenSSF's verifier refuses each of them too.

import { linkSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type ModelChange = {
  readonly name: string
  readonly make: (directory: string) => void
  /** Path and problem of what is reported first. */
  readonly says: readonly [string, RegExp]
}

export const MODEL_CHANGES: readonly ModelChange[] = [
  {
    name: 'a changed byte',
    make: (directory) => writeFileSync(join(directory, 'model.safetensors'), 'weightz'),
    says: ['model.safetensors', /changed/],
  },
  { name: 'an added file', make: (directory) => writeFileSync(join(directory, 'a/new.txt'), ''), says: ['a/new.txt', /added/] },
  { name: 'a removed file', make: (directory) => rmSync(join(directory, 'a.txt')), says: ['a.txt', /missing/] },
  {
    name: 'a renamed file',
    make: (directory) => renameSync(join(directory, 'a.txt'), join(directory, 'a2.txt')),
    says: ['a.txt', /missing/],
  },
  {
    name: 'two files that changed places',
    make: (directory) => {
      renameSync(join(directory, 'config.json'), join(directory, 'other'))
      renameSync(join(directory, 'model.safetensors'), join(directory, 'config.json'))
      renameSync(join(directory, 'other'), join(directory, 'model.safetensors'))
    },
    says: ['config.json', /changed/],
  },
  {
    name: 'a link in the place of a file',
    make: (directory) => {
      linkSync(join(directory, 'config.json'), join(directory, '.gitignore'))
      rmSync(join(directory, 'config.json'))
      symlinkSync('.gitignore', join(directory, 'config.json'))
    },
    says: ['config.json', /symbolic link/],
  },
  { name: 'a signature cut off', make: (directory) => truncateSync(join(directory, 'model.sig'), 300), says: ['model.sig', /cut off/] },
  { name: 'a signature of no bytes', make: (directory) => truncateSync(join(directory, 'model.sig')), says: ['model.sig', /no JSON/] },
  { name: 'no signature', make: (directory) => rmSync(join(directory, 'model.sig')), says: ['model.sig', /not signed/] },
]
