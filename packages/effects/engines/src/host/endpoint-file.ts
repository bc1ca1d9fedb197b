// Where an engine says its address, for whoever started it somewhere on a cluster: a file on storage that both see.

import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Whole or not at all. */
export async function writeEndpoint(file: string, url: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(`${file}.new`, `${url}\n`)
  await rename(`${file}.new`, file)
}
