import { createHash, createHmac } from 'node:crypto'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fc, test as property } from '@fast-check/vitest'
import { afterAll, expect, test } from 'vitest'
import { artifactId, type ArtifactManifest } from '@ironlaw/contracts/artifact'
import { addFiles, type Artifacts, diff, openArtifacts, openStorage, readManifest, restore, verify } from './index.ts'
import { growingTree, leafHasher } from './salted-tree.ts'

const root = mkdtempSync(join(tmpdir(), 'artifact-properties-'))
afterAll(() => rm(root, { recursive: true }), 60_000)
const newFolder = (): string => mkdtempSync(join(root, 'f-'))
const newArtifacts = (): Promise<Artifacts> => openArtifacts(openStorage(newFolder()))

function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = newFolder()
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

const names = fc.constantFrom('a.txt', 'b.jsonl', 'c.bin', 'sub/d.csv', 'sub/deep/e.md', 'ü 日本.txt')
const contents = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'ü', '\r\n', '\0'), maxLength: 200 }).map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 3000 }),
)
const someFiles = fc.dictionary(names, contents, { minKeys: 1, maxKeys: 6 })

property.prop([someFiles], { numRuns: 25 })(
  'any files come back as they were',
  async (files) => {
    const artifacts = await newArtifacts()
    const manifest = await addFiles(artifacts, { directory: folderOf(files), type: 'dataset' })
    const to = newFolder()
    await restore(artifacts, await readManifest(artifacts, artifactId(manifest)), { to })
    for (const [path, content] of Object.entries(files)) expect(readFileSync(join(to, path)).equals(content)).toBe(true)
  },
  60_000,
)

property.prop([someFiles, fc.nat(), fc.nat(), fc.integer({ min: 1, max: 255 })], { numRuns: 25 })(
  'a byte that flips anywhere in the storage is found, unless it changes no content',
  async (files, whichObject, whichByte, flip) => {
    const storage = openStorage(newFolder())
    const manifest = await addFiles(await openArtifacts(storage), { directory: folderOf(files), type: 'dataset' })
    const keys = (await Array.fromAsync(storage.list(''))).map(({ key }) => key).filter((key) => key.includes('/'))
    const key = keys[whichObject % keys.length] ?? ''
    const object = (await storage.get(key)) ?? Buffer.alloc(0)
    const position = whichByte % object.length
    object[position] = (object[position] ?? 0) ^ flip
    await storage.put(key, object)
    const artifacts = await openArtifacts(storage)
    const damage = await Array.fromAsync(verify(artifacts, manifest))
    if (damage.length > 0) {
      expect(new Set(damage.map((each) => each.key))).toEqual(new Set([key]))
      return
    }
    const to = newFolder()
    await restore(artifacts, manifest, { to })
    for (const [path, content] of Object.entries(files)) expect(readFileSync(join(to, path)).equals(content)).toBe(true)
  },
  60_000,
)

property.prop([someFiles], { numRuns: 15 })(
  'the id is the same whatever the order of files, and for two writers at once',
  async (files) => {
    const artifacts = await newArtifacts()
    const folder = folderOf(files)
    const list = Object.keys(files).map((path) => ({ path, from: join(folder, path) }))
    const [one, two] = await Promise.all([
      addFiles(artifacts, { files: list, type: 'dataset' }),
      addFiles(artifacts, { files: list.toReversed(), type: 'dataset' }),
    ])
    expect(two).toEqual(one)
    expect(await Array.fromAsync(verify(artifacts, one))).toEqual([])
  },
  60_000,
)

test('an inserted line adds two chunks at most', async () => {
  const artifacts = await newArtifacts()
  const line = (index: number): string =>
    `${JSON.stringify({ index, text: createHash('sha512').update(`line ${index}`).digest('hex').repeat(8) })}\n`
  const lines = Array.from({ length: 40_000 }, (_, index) => line(index))
  const add = (text: readonly string[]): Promise<ArtifactManifest> =>
    addFiles(artifacts, { directory: folderOf({ 'a.jsonl': text.join('') }), type: 'dataset' })
  const before = await add(lines)
  const chunks = await Array.fromAsync(artifacts.storage.list('chunks/'))
  const after = await add(lines.toSpliced(20_000, 0, line(-1)))
  expect((await Array.fromAsync(artifacts.storage.list('chunks/'))).length - chunks.length).toBeLessThanOrEqual(2)
  expect((await diff(artifacts, before, after)).changes).toMatchObject([{ change: 'changed', leaves_added: 1, leaves_removed: 0 }])
}, 60_000)

property.prop([fc.array(fc.uint8Array({ maxLength: 40_000 }), { minLength: 1, maxLength: 9 })])(
  'leaves and trees are as RFC 6962 with a salt',
  (leaves) => {
    const key = Buffer.alloc(32, 5)
    const sha = (...parts: readonly Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest()
    const hashed = leaves.map((leaf) => sha(Buffer.of(0), createHmac('sha256', key).update(leaf).digest().subarray(0, 16), leaf))
    const treeOf = (nodes: readonly Buffer[]): Buffer => {
      if (nodes.length <= 1) return nodes[0] ?? Buffer.alloc(0)
      const left = 2 ** (Math.ceil(Math.log2(nodes.length)) - 1)
      return sha(Buffer.of(1), treeOf(nodes.slice(0, left)), treeOf(nodes.slice(left)))
    }
    const tree = growingTree()
    const leafHash = leafHasher(key)
    for (const leaf of leaves) tree.add(leafHash(leaf))
    expect(tree.root()).toBe(treeOf(hashed).toString('hex'))
  },
)

test('a file that changes while it is read is refused', async () => {
  const folder = folderOf({ 'a.bin': Buffer.alloc(40_000_000), 'b.bin': 'x' })
  const growing = addFiles(await newArtifacts(), {
    directory: folder,
    type: 'dataset',
    onProgress: ({ path }) => path === 'a.bin' && appendFileSync(join(folder, path), 'x'),
  })
  await expect(growing).rejects.toMatchObject({ code: 'IL_FILE', message: expect.stringContaining('changed while it was read') })
})

test('a link out of the directory and a directory without files are refused', async () => {
  const folder = folderOf({ 'a.txt': 'x' })
  symlinkSync('/etc/hostname', join(folder, 'link'))
  const artifacts = await newArtifacts()
  await expect(addFiles(artifacts, { directory: folder, type: 'dataset' })).rejects.toThrow('outside of the directory')
  await expect(addFiles(artifacts, { directory: newFolder(), type: 'dataset' })).rejects.toThrow('there is no file in it')
  await expect(addFiles(artifacts, { directory: join(folder, 'absent'), type: 'dataset' })).rejects.toMatchObject({ code: 'IL_FILE' })
})

test('a line that is too long makes the file one of blocks', async () => {
  const artifacts = await newArtifacts()
  const text = Buffer.concat([Buffer.from('short\n'), Buffer.alloc(17 * 1024 * 1024, 'x'), Buffer.from('\nend\n')])
  const manifest = await addFiles(artifacts, { directory: folderOf({ 'a.txt': text }), type: 'dataset' })
  expect(manifest.files).toMatchObject([{ bytes: text.length, leaves: 18 }])
  expect(await Array.fromAsync(verify(artifacts, manifest))).toEqual([])
})

test('a lost chunk is named by verify and restore, and written again with its key', async () => {
  const artifacts = await newArtifacts()
  const request = { directory: folderOf({ 'a.txt': 'one\n', 'b.txt': 'two\n' }), type: 'dataset' } as const
  const manifest = await addFiles(artifacts, request)
  const chunks = await Array.fromAsync(artifacts.storage.list('chunks/'))
  const key = chunks[0]?.key ?? ''
  await artifacts.storage.put(key, Buffer.from('\0damaged'))
  expect(await Array.fromAsync(verify(artifacts, manifest))).toMatchObject([{ key, problem: 'corrupt' }])
  await expect(restore(artifacts, manifest, { to: newFolder() })).rejects.toMatchObject({
    code: 'IL_DAMAGED',
    message: expect.stringContaining(key),
  })
  await addFiles(artifacts, { ...request, again: new Set([key]) })
  expect(await Array.fromAsync(verify(artifacts, manifest))).toEqual([])
})

test('restore refuses a directory with other files, other content or links', async () => {
  const artifacts = await newArtifacts()
  const manifest = await addFiles(artifacts, { directory: folderOf({ 'sub/a.txt': 'one\n' }), type: 'dataset' })
  const conflict = { code: 'IL_CONFLICT' }
  await expect(restore(artifacts, manifest, { to: folderOf({ other: 'x' }) })).rejects.toMatchObject(conflict)
  await expect(restore(artifacts, manifest, { to: folderOf({ 'sub/a.txt': 'two\n' }) })).rejects.toMatchObject(conflict)
  const linked = newFolder()
  symlinkSync(newFolder(), join(linked, 'sub'))
  await expect(restore(artifacts, manifest, { to: linked })).rejects.toMatchObject(conflict)
  await restore(artifacts, manifest, { to: folderOf({ 'sub/a.txt.ironlaw-partial': 'rest of a killed one' }) })
  const outside = { ...manifest, files: manifest.files.map((file) => ({ ...file, path: '../outside.txt' })) }
  await expect(restore(artifacts, outside, { to: newFolder() })).rejects.toMatchObject({ code: 'IL_INVALID' })
})

test('a storage of a later format is refused', async () => {
  const storage = openStorage(newFolder())
  await storage.put('ironlaw-artifacts.json', Buffer.from('{"format":2,"key":"x"}'))
  await expect(openArtifacts(storage)).rejects.toMatchObject({ code: 'IL_STORAGE', next: 'update Ironlaw, or use another storage' })
})

test('a storage in use whose key is lost is refused, and gets no other key', async () => {
  const storage = openStorage(newFolder())
  const artifacts = await openArtifacts(storage)
  await addFiles(artifacts, { directory: folderOf({ 'a.txt': 'one\n' }), type: 'dataset' })
  await storage.remove('ironlaw-artifacts.json')
  await expect(openArtifacts(storage)).rejects.toMatchObject({
    code: 'IL_STORAGE',
    message: expect.stringContaining('the key is lost'),
    next: expect.stringContaining('restore that object from a backup'),
  })
  expect(await storage.has('ironlaw-artifacts.json')).toBe(false)
})
