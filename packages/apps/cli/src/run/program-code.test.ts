// With git itself, in repositories made for each test.

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RUN_CODE, type RunCode } from '@ironlaw/contracts/run-origin'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { codeOf, withoutCredentials } from './program-code.ts'

let top: string
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'ironlaw-code-'))
})
afterEach(() => rmSync(top, { recursive: true }))

const git = (...words: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...words], { cwd: top, encoding: 'utf8' }).trim()

function commitFiles(files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(top, path, '..'), { recursive: true })
    writeFileSync(join(top, path), text)
  }
  git('init', '-q', '-b', 'main')
  git('add', '.')
  git('commit', '-q', '-m', 'first')
  return git('rev-parse', 'HEAD')
}

async function knownCode(directory = top): Promise<RunCode> {
  const found = await codeOf(directory)
  if ('unknown' in found) throw new Error(found.unknown)
  return RUN_CODE.parse(found.code)
}

test('a clean directory is its commit, where it lies, and where it came from without the token', async () => {
  const commit = commitFiles({ 'programs/train.py': 'pass\n', '.gitignore': 'out/\n' })
  git('remote', 'add', 'origin', 'https://ada:planted@host.example/team/x.git')
  mkdirSync(join(top, 'out'))
  writeFileSync(join(top, 'out/log.txt'), 'ignored')
  expect(await knownCode(join(top, 'programs'))).toEqual({ commit, path: 'programs', remote: 'https://host.example/team/x.git' })
})

test('what differs from the commit is counted, listed and digested, and equal changes have equal digests', async () => {
  commitFiles({ 'a.py': '1\n', 'b.py': '2\n', 'c.py': '3\n' })
  writeFileSync(join(top, 'a.py'), 'changed\n')
  rmSync(join(top, 'b.py'))
  writeFileSync(join(top, 'new file.py'), 'planted-in-an-untracked-file\n')
  symlinkSync('/nowhere', join(top, 'link'))
  writeFileSync(join(top, 'large.bin'), '')
  truncateSync(join(top, 'large.bin'), 1 << 30)
  const { changes } = await knownCode()
  expect(changes).toMatchObject({ count: 5 })
  expect(changes?.files).toEqual([
    { path: 'a.py', blob: git('hash-object', 'a.py') },
    { path: 'b.py' },
    { path: 'large.bin' },
    { path: 'link' },
    { path: 'new file.py' },
  ])
  expect((await knownCode()).changes?.digest).toBe(changes?.digest)
  writeFileSync(join(top, 'new file.py'), 'otherwise\n')
  expect((await knownCode()).changes?.digest).not.toBe(changes?.digest)
})

test('staged and unstaged changes are one digest of what lies in the directory', async () => {
  commitFiles({ 'a.py': '1\n' })
  writeFileSync(join(top, 'a.py'), '2\n')
  const unstaged = await knownCode()
  git('add', 'a.py')
  expect(await knownCode()).toEqual(unstaged)
})

test('of thousands of changed files two hundred are listed, and all count', async () => {
  commitFiles({ 'a.py': '1\n' })
  mkdirSync(join(top, 'many'))
  for (let each = 0; each < 2000; each += 1) writeFileSync(join(top, 'many', `${each}.txt`), `${each}`)
  const { changes } = await knownCode()
  expect([changes?.count, changes?.files.length]).toEqual([2000, 200])
})

test('neither a hook nor a monitor of the repository runs, and nothing in it is written', async () => {
  commitFiles({ 'a.py': '1\n' })
  const planted = join(top, '.git', 'planted.sh')
  writeFileSync(planted, `#!/bin/sh\ntouch "${top}/.git/it-ran"\n`)
  chmodSync(planted, 0o755)
  git('config', 'core.fsmonitor', planted)
  writeFileSync(join(top, 'a.py'), '2\n')
  const before = statSync(join(top, '.git/index')).mtimeMs
  await knownCode()
  expect(statSync(join(top, '.git/index')).mtimeMs).toBe(before)
  expect(readdirSync(join(top, '.git'))).not.toContain('it-ran')
})

test('from a hook of another repository it is still the directory that counts', async () => {
  const commit = commitFiles({ 'a.py': '1\n' })
  process.env['GIT_DIR'] = '/nowhere/.git'
  try {
    expect(await knownCode()).toMatchObject({ commit })
  } finally {
    delete process.env['GIT_DIR']
  }
})

test('without a repository, a commit or a directory the code is unknown, and why is said', async () => {
  expect(await codeOf(top)).toEqual({ unknown: 'it lies in no git repository' })
  git('init', '-q')
  expect(await codeOf(top)).toEqual({ unknown: 'its repository has no commit' })
  expect(await codeOf(join(top, 'absent'))).toMatchObject({ unknown: expect.any(String) })
})

test.each([
  ['https://host/x.git', 'https://host/x.git'],
  ['https://token@host/x.git', 'https://host/x.git'],
  ['https://ada:a@b@host/x.git', 'https://host/x.git'],
  ['git@host:x.git', 'host:x.git'],
  ['ssh://git@host:22/x.git', 'ssh://host:22/x.git'],
  ['https://host/x.git?private_token=planted#planted', 'https://host/x.git'],
  ['/srv/x.git', '/srv/x.git'],
  ['', undefined],
])('%j without credentials is %j', (address, plain) => expect(withoutCredentials(address)).toBe(plain))
