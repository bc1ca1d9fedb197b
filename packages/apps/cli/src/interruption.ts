// Ctrl-C as an answer: one line that says what became of the work and how to go on, and the status that shells give to an interrupted command.

/** 128 + SIGINT. */
export const INTERRUPTED = 130

export type Interruption = {
  /** What was stopped, and what was not. */
  readonly what: string
  readonly next: string
}

/** Ends the process. */
export function endInterrupted({ what, next }: Interruption): never {
  // A progress line or a prompt stands unfinished before it.
  process.stderr.write(`${process.stderr.isTTY ? '\n' : ''}interrupted: ${what}; next: ${next}\n`)
  process.exit(INTERRUPTED)
}

export async function runInterruptible<Value>(interruption: Interruption, work: () => Promise<Value>): Promise<Value> {
  const end = (): never => endInterrupted(interruption)
  process.once('SIGINT', end)
  try {
    return await work()
  } finally {
    process.off('SIGINT', end)
  }
}
