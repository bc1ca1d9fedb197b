// A JSON file of an artifact, read in parts: reports of datasets are larger than what one answer of the API holds.

import { MOST_FILE_BYTES } from '@ironlaw/contracts/artifact-operations'
import type { SiteArtifacts } from './site-artifacts.ts'

const MOST_JSON_BYTES = 16 * MOST_FILE_BYTES

/** Undefined where the artifact has no such file, or it is too large or no JSON: whoever adds an artifact may put anything there. */
export async function artifactJson(artifacts: SiteArtifacts, id: string, path: string): Promise<unknown> {
  const file = (await artifacts.manifest(id)).files.find((each) => each.path === path)
  if (!file || file.bytes > MOST_JSON_BYTES) return undefined
  const parts: Buffer[] = []
  for (let from = 0; from < file.bytes; from += MOST_FILE_BYTES) {
    const { content, encoding } = await artifacts.file(id, { path, from, length: MOST_FILE_BYTES })
    parts.push(Buffer.from(content, encoding))
  }
  return parsed(Buffer.concat(parts).toString())
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}
