// The file in which an engine publishes its address to the process that started it on a cluster, on storage that both see.

import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Written atomically. It holds the replica's token, which shows that the address is its own, so only its owner may read the file; `proves`
 * says that the host at the address proves the token with every readiness check, as `startEngineHost` does.
 */
export async function writeEndpoint(file: string, url: string, token = process.env['IRONLAW_REPLICA_TOKEN']): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(`${file}.new`, `${url}\n${token === undefined ? '' : `${token}\nproves\n`}`, { mode: 0o600 })
  await rename(`${file}.new`, file)
}
