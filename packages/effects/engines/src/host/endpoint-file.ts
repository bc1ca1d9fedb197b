// Where an engine says its address, for whoever started it somewhere on a cluster: a file on storage that both see.

import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Whole or not at all. With the replica's token, which shows that the address is its own, so nobody else may read the file; `proves`
 * says that the host behind the address proves the token with every readiness, as `startEngineHost` does.
 */
export async function writeEndpoint(file: string, url: string, token = process.env['IRONLAW_REPLICA_TOKEN']): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(`${file}.new`, `${url}\n${token === undefined ? '' : `${token}\nproves\n`}`, { mode: 0o600 })
  await rename(`${file}.new`, file)
}
