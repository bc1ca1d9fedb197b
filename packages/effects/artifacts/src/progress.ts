/** How far an operation on an artifact is. */
export type Progress = {
  /** The file that it is at. */
  readonly path: string
  /** Of all files so far. */
  readonly bytes: number
  /** Written to the storage or to disk so far: less where the storage had them, or they are compressed. */
  readonly written_bytes: number
}
