// The edge of the programs that serve: an error becomes a message and an exit status.

import { IronlawError } from '@ironlaw/contracts'

export async function runProgram(program: () => Promise<void>): Promise<void> {
  try {
    await program()
  } catch (cause) {
    const text =
      cause instanceof IronlawError
        ? `error ${cause.code}: ${cause.message}\n  next: ${cause.next}`
        : String(cause instanceof Error ? cause.stack : cause)
    process.stderr.write(`${text}\n`)
    process.exit(cause instanceof IronlawError ? cause.exit : 2)
  }
}
