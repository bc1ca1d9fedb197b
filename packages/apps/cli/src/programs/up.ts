// `ironlaw up`: a control plane on this machine. It is a separate process, so that later commands use only its API.

import { SERVER_FLAGS } from '@ironlaw/contracts/programs'
import { flagArguments, type ProgramFlags } from './program-flags.ts'
import { startProgram } from './start-program.ts'

/** Ctrl-C stops the control plane, never the jobs. */
export async function startControlPlane(flags: ProgramFlags): Promise<void> {
  process.exitCode = await startProgram('@ironlaw/server/main', flagArguments(SERVER_FLAGS, flags))
}
