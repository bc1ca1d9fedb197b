// The signature of a directory, opened with the key that it must be made with.

import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { systemError } from '@ironlaw/contracts'
import type { SignedStatement } from '@ironlaw/contracts/model-signature'
import { openBundle } from './signature-bundle.ts'
import type { SigningKey } from './signing-keys.ts'
import { readStatement } from './statement.ts'

/** A hundred thousand files with paths of 300 characters; what is larger would only fill the memory. */
export const MOST_SIGNATURE_BYTES = 64 * 1024 * 1024

type ReadSignature =
  | { readonly state: 'signed'; readonly statement: SignedStatement }
  | { readonly state: 'refused'; readonly problem: string }

export async function readSignature(path: string, key: SigningKey): Promise<ReadSignature> {
  const text = await readBounded(path)
  if (text === undefined) return { state: 'refused', problem: 'is not there: the files are not signed' }
  if (text.length > MOST_SIGNATURE_BYTES) return { state: 'refused', problem: `is larger than ${MOST_SIGNATURE_BYTES} bytes` }
  const opened = openBundle(text, key)
  if (opened.state === 'refused') return opened
  const read = readStatement(opened.payload)
  return read.state === 'refused' ? read : { state: 'signed', statement: read.statement }
}

/** Undefined where there is none; one byte more than allowed where it is too large. */
async function readBounded(path: string): Promise<Buffer | undefined> {
  try {
    // Without O_NONBLOCK a pipe in its place would wait for a writer.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const size = Math.min((await file.stat()).size, MOST_SIGNATURE_BYTES + 1)
    const buffer = Buffer.alloc(size)
    const { bytesRead } = await file.read(buffer, 0, size, 0)
    return buffer.subarray(0, bytesRead)
  } catch (cause) {
    const error = systemError(cause)
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    throw error ?? cause
  }
}
