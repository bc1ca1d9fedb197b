// Somewhere that lines of the audit trail are sent, beyond the reach of whoever can rewrite the database.

export type AuditLine = {
  /** Unix seconds. */
  readonly at: number
  readonly isRefusal: boolean
  /** One JSON object. */
  readonly text: string
}

export type AuditSink = {
  /** All of them, in order; throws where it cannot tell that they arrived as far as the protocol tells. */
  readonly write: (lines: readonly AuditLine[]) => Promise<void>
  readonly close: () => void
}
