// The seam to where bytes are stored: a directory that all machines see, or S3-compatible object storage.

export type StoredObject = {
  readonly key: string
  readonly bytes: number
  /** Unix seconds. */
  readonly modified_at: number
}

export type ObjectStorage = {
  /** As the user gave it. */
  readonly url: string
  /** Whole or not at all, whatever happens meanwhile; what was under the key is replaced. */
  readonly put: (key: string, content: Uint8Array) => Promise<void>
  /** As `put`, only where nothing is under the key yet: of several writers exactly one writes. */
  readonly putNew: (key: string, content: Uint8Array) => Promise<'written' | 'exists'>
  readonly get: (key: string) => Promise<Buffer | undefined>
  readonly has: (key: string) => Promise<boolean>
  /** In the order of the keys; those that come or go meanwhile may be missed. */
  readonly list: (prefix: string) => AsyncIterable<StoredObject>
  /** It is no error if it is not there. */
  readonly remove: (key: string) => Promise<void>
}
