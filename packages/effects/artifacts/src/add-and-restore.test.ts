import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { artifactId } from '@ironlaw/contracts/artifact'
import { addFiles, diff, missingObjects, objectKeys, openArtifacts, openStorage, readManifest, restore, verify } from './index.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function newFolder(files: Readonly<Record<string, string | Buffer>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'artifacts-'))
  folders.push(folder)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

test('files come back as they were, and are found whole', async () => {
  const artifacts = await openArtifacts(openStorage(newFolder()))
  const files = { 'a.jsonl': '{"n":1}\n{"n":2}\nno end', 'sub/b.bin': Buffer.alloc(3_000_000, 7), 'empty.txt': '' }
  const manifest = await addFiles(artifacts, { directory: newFolder(files), type: 'dataset', facts: { tokenizer: 'none' } })
  expect(await readManifest(artifacts, artifactId(manifest))).toEqual(manifest)
  expect(await Array.fromAsync(verify(artifacts, manifest))).toEqual([])
  expect(await Array.fromAsync(missingObjects(artifacts, manifest))).toEqual([])
  expect(await Array.fromAsync(objectKeys(artifacts, manifest))).toHaveLength(1 + 3 + 2)
  const to = newFolder()
  await restore(artifacts, manifest, { to })
  for (const [path, content] of Object.entries(files)) expect(readFileSync(join(to, path)).equals(Buffer.from(content))).toBe(true)
  expect(new Set(readdirSync(to, { recursive: true, encoding: 'utf8' }))).toEqual(new Set(['a.jsonl', 'empty.txt', 'sub', 'sub/b.bin']))
  await restore(artifacts, manifest, { to })
})

test('a difference counts the lines that came and went', async () => {
  const artifacts = await openArtifacts(openStorage(newFolder()))
  const before = await addFiles(artifacts, { directory: newFolder({ 'a.txt': 'one\ntwo\n', 'b.txt': 'same\n' }), type: 'dataset' })
  const after = await addFiles(artifacts, {
    directory: newFolder({ 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'same\n' }),
    type: 'dataset',
    facts: { rows: 4 },
  })
  expect(await diff(artifacts, before, after)).toMatchObject({
    files_same: 1,
    files_changed: 1,
    bytes_shared: 5,
    changes: [{ path: 'a.txt', change: 'changed', bytes_before: 8, bytes_after: 14, leaves_added: 1, leaves_removed: 0 }],
    facts: [{ field: 'rows', after: 4 }],
  })
})
