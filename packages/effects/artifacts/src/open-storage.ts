// From the address that a site gives to the storage behind it.

import { fileURLToPath } from 'node:url'
import { resolve } from 'node:path'
import { IronlawError } from '@ironlaw/contracts'
import { directoryStorage } from './directory-storage.ts'
import type { ObjectStorage } from './object-storage.ts'
import { s3Storage } from './s3-storage.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** A path or file:// URL is a directory; s3://bucket/prefix is S3, with credentials and endpoint from the environment. */
export function openStorage(url: string, environment: Environment = process.env): ObjectStorage {
  if (url.startsWith('s3://')) return s3Storage(url, environment)
  if (url.startsWith('file://')) return directoryStorage(fileURLToPath(url), url)
  if (url === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(url)) throw unknownStorage(url)
  return directoryStorage(resolve(url), url)
}

const unknownStorage = (url: string): IronlawError =>
  new IronlawError('IL_STORAGE', {
    act: 'open',
    key: 'it',
    storage: JSON.stringify(url),
    reason: 'no storage has such an address',
    next: 'give a directory, or s3://bucket/prefix',
  })
