// The edge of the programs that serve: an error becomes a message and an exit status.

import { errorText, IronlawError, systemError } from '@ironlaw/contracts'

export async function runProgram(program: () => Promise<void>): Promise<void> {
  try {
    await program()
  } catch (cause) {
    endProgram(cause)
  }
}

/** Ends the process: what can be foreseen as a message with what to do next, a fault of ours with the place where it happened. */
function endProgram(cause: unknown): never {
  const foreseen = cause instanceof IronlawError ? cause : systemError(cause)
  const error = foreseen ?? new IronlawError('IL_UNEXPECTED', { reason: String(cause) })
  process.stderr.write(errorText(error))
  if (!foreseen && cause instanceof Error) process.stderr.write(`${cause.stack}\n`)
  process.exit(error.exit)
}
