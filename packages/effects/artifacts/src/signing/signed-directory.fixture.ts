// A small model on disk and keys, for tests of signatures.

import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

export const CURVES = ['P-256', 'P-384', 'P-521'] as const

export function scratchDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'ironlaw-signing-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

const FILES: Readonly<Record<string, string>> = {
  'model.safetensors': 'weights',
  'config.json': '{}\n',
  'a/b.txt': 'sorts before a.txt: directory by directory',
  'a.txt': '',
  'größe 大.txt': 'a name beyond ASCII',
  '\u{1F600}.txt': 'a name beyond the first plane, which sorts after the next one',
  '\uFF5E.txt': 'a name whose UTF-16 units sort after those of the one before',
  '.gitattributes': 'is not signed',
  '.git/HEAD': 'is not signed',
}

export function writeModel(directory: string): string {
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), content)
  }
  return directory
}

export type KeyFiles = { readonly secret: string; readonly open: string }

export function writeKeys(directory: string, curve: string): KeyFiles {
  mkdirSync(directory, { recursive: true })
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: curve })
  const files = { secret: join(directory, `${curve}.pem`), open: join(directory, `${curve}.pub.pem`) }
  writeFileSync(files.secret, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(files.open, createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }))
  return files
}
