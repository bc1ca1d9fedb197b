// `ironlaw up`: a control plane on this machine. It is a process of its own, so that the commands that follow only know its API.

import { startProgram } from '../serve/start-program.ts'

/** As the server takes them, in the spelling of the command line's parser. */
export type UpFlags = Readonly<Record<string, string | boolean>>

/** Stopping it stops the control plane, never the jobs. */
export async function startControlPlane({ consoleBuild, ...flags }: UpFlags): Promise<void> {
  process.exitCode = await startProgram('@ironlaw/server/main', { ...flags, noConsoleBuild: consoleBuild === false })
}
