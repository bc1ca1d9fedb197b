// `ironlaw up`: a control plane on this machine. It is a separate process, so that later commands use only its API.

import { startProgram } from '../serve/start-program.ts'

/** Flags of the server, in the spelling of the command-line parser. */
export type UpFlags = Readonly<Record<string, string | boolean>>

/** Ctrl-C stops the control plane, never the jobs. */
export async function startControlPlane({ consoleBuild, ...flags }: UpFlags): Promise<void> {
  process.exitCode = await startProgram('@ironlaw/server/main', { ...flags, noConsoleBuild: consoleBuild === false })
}
