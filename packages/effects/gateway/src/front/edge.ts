// The boundary that contains exceptions. Callbacks of sockets and timers serve requests, so an exception in one of them has no caller and
// would end the process with the streams of every tenant. Each entry into a request's code goes through here instead: the request that
// threw ends with an error, the exception is counted and reported, and everything else continues.

export function contain(act: () => void, onThrow: (cause: unknown) => void): void {
  try {
    act()
  } catch (cause) {
    onThrow(cause)
  }
}

/** A request that throws can be sent again and again: its stack is worth a line, not a full disk. */
const REPORT_EVERY_MS = 1000

/** Counts every throw and writes the stack of one a second. */
export function unexpectedReporter(
  count: () => void,
  { write, now_ms }: { readonly write: (line: string) => void; readonly now_ms: () => number },
): (cause: unknown) => void {
  let next_ms = Number.NEGATIVE_INFINITY
  return (cause) => {
    count()
    if (now_ms() < next_ms) return
    next_ms = now_ms() + REPORT_EVERY_MS
    write(`unexpected: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`)
  }
}
