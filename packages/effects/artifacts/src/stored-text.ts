// Lists of chunks and manifests as they are stored: the text that their digest is of, so that it is checked before it is parsed.

import { hash } from 'node:crypto'
import { canonicalJson, type Json } from '@ironlaw/contracts'

export const storedText = (value: Json): Buffer => Buffer.from(canonicalJson(value))

export const textHasDigest = (content: Buffer, digest: string): boolean => hash('sha256', content) === digest
