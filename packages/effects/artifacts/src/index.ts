export type { ObjectStorage, StoredObject } from './object-storage.ts'
