// The Python that runs programs: which one, and what it brings along. Both decide what passes, so both are part of the instrument.

import { execFile } from 'node:child_process'
import { homedir } from 'node:os'
import { promisify } from 'node:util'
import { sha256 } from '@ironlaw/contracts'
import * as z from 'zod'
import { sandboxError } from './sandbox-error.ts'

const FACTS = z.object({
  path: z.string().min(1),
  version: z.string().min(1),
  folders: z.array(z.string().min(1)),
  packages: z.array(z.string()),
})

export type Interpreter = {
  readonly path: string
  readonly version: string
  /** Digest of the packages with their versions. */
  readonly packages: string
  /** What it needs besides the system's own. */
  readonly folders: readonly string[]
}

const ANSWER_MS = 30_000

const QUESTION = `
import importlib.metadata, json, os, platform, sys
print(json.dumps({
    "path": sys.executable,
    "version": platform.python_implementation() + " " + platform.python_version(),
    "folders": sorted({os.path.realpath(path) for path in (sys.base_prefix, sys.prefix)}),
    "packages": sorted({str(one.metadata["Name"]) + "==" + str(one.version) for one in importlib.metadata.distributions()}),
}))
`

export async function findInterpreter(command: string): Promise<Interpreter> {
  const facts = await askInterpreter(command)
  const folders = facts.folders.filter((folder) => folder !== '/usr' && !folder.startsWith('/usr/'))
  const open = folders.find((folder) => folder === '/' || `${homedir()}/`.startsWith(`${folder}/`))
  if (open !== undefined) throw sandboxError(`${command} is installed in ${open}, all of which a program could read`)
  return { path: facts.path, version: facts.version, packages: sha256(facts.packages.join('\n')), folders }
}

async function askInterpreter(command: string): Promise<z.output<typeof FACTS>> {
  try {
    const { stdout } = await promisify(execFile)(command, ['-I', '-c', QUESTION], { timeout: ANSWER_MS })
    return FACTS.parse(JSON.parse(stdout))
  } catch (cause) {
    throw sandboxError(`${command} is not a Python that answers: ${cause instanceof Error ? cause.message.trim() : String(cause)}`, cause)
  }
}
