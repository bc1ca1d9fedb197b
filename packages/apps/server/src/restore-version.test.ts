import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addFiles, openArtifacts, openStorage } from '@ironlaw/artifacts'
import { artifactId, objectKey } from '@ironlaw/contracts/artifact'
import { afterAll, expect, test } from 'vitest'
import { restoreVersion } from './restore-version.ts'

const scratch = mkdtempSync(join(tmpdir(), 'ironlaw-restore-version-'))
afterAll(() => rmSync(scratch, { recursive: true }))
const storage = join(scratch, 'storage')

async function addVersion(text: string): Promise<string> {
  const directory = join(scratch, text)
  mkdirSync(directory)
  writeFileSync(join(directory, 'model.gguf'), text)
  return artifactId(await addFiles(await openArtifacts(openStorage(storage)), { directory, type: 'model', facts: {} }))
}

const placeOf = (name: string): string => {
  mkdirSync(join(scratch, name))
  return join(scratch, name, 'model')
}

test('replicas that restore at once leave one whole version, and nothing beside it', async () => {
  const version = await addVersion('weights of one')
  const path = placeOf('at once')
  expect(await Promise.all(Array.from({ length: 4 }, () => restoreVersion(path, { version, storage })))).toContain(true)
  expect(readFileSync(join(path, 'model.gguf'), 'utf8')).toBe('weights of one')
  expect(readdirSync(join(path, '..'))).toEqual(['model'])
  expect(await restoreVersion(path, { version, storage })).toBe(false)
})

test('what is there already stays, and without a version or a storage nothing is written', async () => {
  const version = await addVersion('weights of two')
  const path = placeOf('present')
  expect(await restoreVersion(path, { version, storage: undefined })).toBe(false)
  expect(await restoreVersion(path, { version: undefined, storage })).toBe(false)
  writeFileSync(path, 'mine')
  expect(await restoreVersion(path, { version, storage })).toBe(false)
  expect(readFileSync(path, 'utf8')).toBe('mine')
})

test('one that the storage lacks leaves nothing behind', async () => {
  const version = await addVersion('weights of three')
  rmSync(join(storage, objectKey.manifest(version)))
  const path = placeOf('damaged')
  await expect(restoreVersion(path, { version, storage })).rejects.toMatchObject({ code: 'IL_NOT_FOUND' })
  expect(readdirSync(join(path, '..'))).toEqual([])
})
