// Results as they arrive, one line each, so that an evaluation that was killed goes on with the items that are missing.

import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { readFile, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { IronlawError } from '@ironlaw/contracts'
import { type ItemResult, parseItemResults } from '@ironlaw/contracts/evaluation-items'
import * as z from 'zod'

/** The first line: what the results are of. */
const HEAD = z.strictObject({ identity: z.string() })

export type KeptResults = {
  readonly earlier: readonly ItemResult[]
  readonly add: (result: ItemResult) => void
  readonly close: () => void
}

export async function openResults(path: string, identity: string): Promise<KeptResults> {
  mkdirSync(dirname(path), { recursive: true })
  const whole = await wholeLines(path)
  const [head, ...lines] = whole
  if (head !== undefined && identityOf(head) !== identity)
    throw new IronlawError('IL_CONFLICT', {
      problem: `${dirname(path)} holds the unfinished evaluation of other items, another model or another instrument`,
      next: 'remove it, or write this one to another directory with --to',
    })
  const file = openSync(path, 'a')
  if (head === undefined) writeSync(file, `${JSON.stringify({ identity })}\n`)
  return {
    earlier: parseItemResults(lines.join('\n'), path),
    add: (result) => void writeSync(file, `${JSON.stringify(result)}\n`),
    close: () => closeSync(file),
  }
}

/** What follows the last end of a line was being written when the process was killed. */
async function wholeLines(path: string): Promise<readonly string[]> {
  const content = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return Buffer.alloc(0)
    throw cause
  })
  const end = content.lastIndexOf('\n') + 1
  if (end < content.length) await truncate(path, end)
  return end === 0 ? [] : content.toString('utf8', 0, end - 1).split('\n')
}

function identityOf(line: string): string | undefined {
  try {
    return HEAD.safeParse(JSON.parse(line)).data?.identity
  } catch {
    // Whoever asks says that it is another one's.
    return undefined
  }
}
