#!/usr/bin/env node
// The edge: arguments in, an exit status out. 0 fine, 1 wrong usage or input, 2 unexpected, 3 a stated constraint is violated.

import { IronlawError } from '@ironlaw/contracts'
import { CommanderError } from 'commander'
import { program } from './program.ts'
import { errorText } from './error-text.ts'

// A reader that has seen enough, as in `ironlaw law | head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 2))

try {
  await program().parseAsync(process.argv)
} catch (cause) {
  if (cause instanceof CommanderError) {
    process.exitCode = cause.exitCode === 0 ? 0 : 1
  } else {
    const error = cause instanceof IronlawError ? cause : new IronlawError('IL_UNEXPECTED', { reason: String(cause) }, { cause })
    process.stderr.write(errorText(error, process.argv.includes('--json')))
    if (error.code === 'IL_UNEXPECTED' && cause instanceof Error) process.stderr.write(`${cause.stack}\n`)
    process.exitCode = error.exit
  }
}
