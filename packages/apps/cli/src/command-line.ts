// The edge: arguments in, an exit status out. 0 fine, 1 wrong usage or input, 2 unexpected, 3 a stated constraint is violated,
// 130 interrupted.

import { IronlawError, systemError } from '@ironlaw/contracts'
import { CommanderError } from 'commander'
import { program } from './program.ts'
import { errorText } from './error-text.ts'

process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
  // A reader that closes the pipe early, as in `ironlaw law | head`, is not an error.
  if (cause.code === 'EPIPE') process.exit(0)
  reportError(cause.code === 'ENOSPC' ? new IronlawError('IL_DISK_FULL', { path: 'the output' }, { cause }) : cause)
  process.exit()
})

try {
  await program().parseAsync(process.argv)
} catch (cause) {
  if (cause instanceof CommanderError) process.exitCode = cause.exitCode === 0 ? 0 : 1
  else reportError(cause)
}

function reportError(cause: unknown): void {
  const foreseen = cause instanceof IronlawError ? cause : systemError(cause)
  const error = foreseen ?? new IronlawError('IL_UNEXPECTED', { reason: String(cause) }, { cause })
  process.stderr.write(errorText(error, process.argv.includes('--json')))
  // An unexpected error is a bug in Ironlaw: print the stack.
  if (!foreseen && cause instanceof Error) process.stderr.write(`${cause.stack}\n`)
  process.exitCode = error.exit
}
