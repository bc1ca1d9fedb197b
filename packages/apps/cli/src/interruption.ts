// Handles Ctrl-C: prints one line with the state of the work and how to continue, and exits with the status of an interrupted command.

/** 128 + SIGINT. */
export const INTERRUPTED = 130

export type Interruption = {
  /** What was stopped, and what was not. */
  readonly what: string
  readonly next: string
}

/** Ends the process. */
export function endInterrupted({ what, next }: Interruption): never {
  // Ends the unfinished line of a progress message or prompt.
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
