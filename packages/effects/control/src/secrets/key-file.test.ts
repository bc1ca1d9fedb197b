import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createKeyFile, keyFile } from './key-file.ts'

const directory = mkdtempSync(join(tmpdir(), 'ironlaw-keys-'))
afterAll(() => rmSync(directory, { recursive: true }))

const keysIn = (file: string): readonly string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))

async function newFile(name: string): Promise<string> {
  const file = join(directory, name)
  await createKeyFile(file)
  return file
}

test('it is made closed to others, with one key, and what is there is left alone', async () => {
  const file = await newFile('made/below/secrets.key')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const keys = keysIn(file)
  expect(keys).toHaveLength(1)
  await createKeyFile(file)
  expect(keysIn(file)).toEqual(keys)
})

test('of many that make it at once, one does, and all read the same key', async () => {
  const file = join(directory, 'contended', 'secrets.key')
  await Promise.all(Array.from({ length: 20 }, () => createKeyFile(file)))
  const ids = await Promise.all(Array.from({ length: 5 }, async () => (await keyFile(file).read()).sealing.id))
  expect(new Set(ids).size).toBe(1)
  expect(readdirSync(join(directory, 'contended'))).toEqual(['secrets.key'])
})

test('a key that is added seals, the others still open, and another reader of the file sees it', async () => {
  const file = await newFile('added.key')
  const [one, other] = [keyFile(file), keyFile(file)]
  const before = (await other.read()).sealing.id
  await one.add()
  const after = await other.read()
  expect(after.sealing.id).not.toBe(before)
  expect(after.byId.has(before)).toBe(true)
  await one.forgetOthers()
  expect([...(await other.read()).byId.keys()]).toEqual([after.sealing.id])
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test.each([0o640, 0o604, 0o660, 0o644])('mode %i (decimal) is refused, and the message says how to close it', async (mode) => {
  const file = await newFile(`open-${mode}.key`)
  chmodSync(file, mode)
  await expect(keyFile(file).read()).rejects.toMatchObject({ code: 'IL_SECRETS_KEY', next: `close it: chmod 600 ${file}` })
})

// Root may write everything, so this takes root and another user.
test.skipIf(process.getuid?.() !== 0)("root's file that we cannot write may have any mode; a key is then added elsewhere", async () => {
  const file = await newFile('mounted.key')
  chmodSync(directory, 0o755)
  chmodSync(file, 0o444)
  const program = `
    const { keyFile } = await import(${JSON.stringify(join(import.meta.dirname, 'key-file.ts'))})
    const keys = keyFile(${JSON.stringify(file)})
    console.log((await keys.read()).sealing.id)
    await keys.add().catch(({ code, next }) => console.log(code, next))`
  const asNobody = ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, '--input-type=module', '-e', program]
  const { stdout, stderr } = spawnSync('setpriv', asNobody, { encoding: 'utf8' })
  chmodSync(file, 0o600)
  const { id } = (await keyFile(file).read()).sealing
  expect(stdout, stderr).toContain(`${id}\nIL_SECRETS_KEY put a new key`)
})

test('it may be a link, as container platforms mount it', async () => {
  const file = await newFile('target.key')
  const link = join(directory, 'link.key')
  symlinkSync(file, link)
  expect((await keyFile(link).read()).sealing.id).toBe((await keyFile(file).read()).sealing.id)
})

test.each([
  ['nothing', '', 'has no key'],
  ['only remarks', '# keys\n', 'has no key'],
  ['a short key', `${Buffer.alloc(31).toString('base64')}\n`, 'key 1 is not base64 of 32 bytes'],
  ['a second line of something else', `${Buffer.alloc(32, 7).toString('base64')}\npassword\n`, 'key 2 is not base64 of 32 bytes'],
])('%s is refused without being shown', async (name, text, problem) => {
  const file = join(directory, `${name}.key`)
  writeFileSync(file, text, { mode: 0o600 })
  const refused = keyFile(file).read()
  await expect(refused).rejects.toThrow(problem)
  await expect(refused).rejects.not.toThrow('password')
})

test('a file that is not there is said to be missing', async () => {
  await expect(keyFile(join(directory, 'absent.key')).read()).rejects.toMatchObject({ code: 'IL_SECRETS_KEY' })
})
