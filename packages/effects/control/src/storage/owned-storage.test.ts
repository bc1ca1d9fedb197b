import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { ownedStorage } from './owned-storage.ts'

const TIMEOUT_MS = 60_000
/** Numbers that need no name: a directory has an owner whether there is such a user or not. */
const A = { uid: 64_101, gid: 64_101 }
const B = { uid: 64_102, gid: 64_102 }

describe.skipIf(process.getuid?.() !== 0)('directories of users', { timeout: TIMEOUT_MS }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'ironlaw-owned-'))
  execFileSync('chmod', ['711', folder])
  const runs = join(folder, 'runs')
  const storage = ownedStorage(() => undefined, { runs })
  afterAll(() => {
    storage.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const as = (user: typeof A, script: string): string =>
    execFileSync('setpriv', [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', 'sh', '-c', script], { encoding: 'utf8' })
  const modeOf = (path: string): readonly number[] => [statSync(path).uid, statSync(path).mode & 0o777]
  const read = (file: string) => storage.perform('read', { file, limit_bytes: 1000 })

  test('a run has a directory of its own, and the one around it shows nothing', async () => {
    await storage.perform('mark', { directory: runs })
    await storage.perform('open', { directory: runs })
    for (const [name, user] of [
      ['run-a', A],
      ['run-b', B],
      ['replicas/one', A],
    ] as const)
      expect(await storage.own(join(runs, name), user)).toBeUndefined()
    expect(await storage.own(join(runs, 'run-a'), A)).toBeUndefined()
    expect([modeOf(runs), modeOf(join(runs, 'run-a')), modeOf(join(runs, 'replicas')), modeOf(join(runs, 'replicas/one'))]).toEqual([
      [0, 0o711],
      [A.uid, 0o700],
      [0, 0o711],
      [A.uid, 0o700],
    ])
    expect(() => as(A, `ls ${runs}`)).toThrow('denied')
    expect(() => as(A, `ls ${runs}/run-b`)).toThrow('denied')
    expect(await storage.own(join(runs, 'run-a'), B)).toMatchObject({
      away: expect.stringContaining(`belongs to the user with uid ${A.uid}`),
    })
  })

  test('what is written there is for its user alone', async () => {
    const file = join(runs, 'run-a', 'program', 'token')
    expect(await storage.perform('writePrivate', { file, text: 'secret' })).toEqual({ value: null })
    expect(modeOf(file)).toEqual([A.uid, 0o600])
    expect(as(A, `cat ${file}`)).toBe('secret')
    expect(await read(file)).toEqual({ value: 'secret' })
  })

  test('links that a job makes of its files or its folders lead nowhere that it could not go', async () => {
    const secret = join(folder, 'of-root')
    writeFileSync(secret, 'of root', { mode: 0o600 })
    await storage.perform('writePrivate', { file: join(runs, 'run-b', 'logs', 'node-0.log'), text: 'of b' })
    const inA = join(runs, 'run-a')
    as(
      A,
      `cd ${inA} && ln -s ${secret} file && ln -s ${runs}/run-b/logs folder && ln -s ${folder} up && mkdir spool && ln -s ${runs}/run-b/logs spool/node-0`,
    )
    for (const name of ['file', 'folder/node-0.log', 'up/of-root']) expect(await read(join(inA, name)), name).toEqual({ value: null })
    expect(await storage.perform('readPart', { file: join(inA, 'folder/node-0.log'), offset: 0, limit_bytes: 10 })).toEqual({ value: null })
    expect(await storage.perform('readAll', { directory: join(inA, 'spool'), files: 9, limit_bytes: 100 })).toEqual({ value: [] })
    for (const name of ['folder/node-0.log', 'up/of-root', 'up/new'])
      expect(await storage.perform('writePrivate', { file: join(inA, name), text: 'x' }), name).toHaveProperty('away')
    expect([readFileSync(secret, 'utf8'), readFileSync(join(runs, 'run-b/logs/node-0.log'), 'utf8')]).toEqual(['of root', 'of b'])
  })

  test('a run without a directory has no files, and none are written for it', async () => {
    const file = join(runs, 'run-c', 'completed.json')
    expect(await read(file)).toEqual({ value: null })
    expect(await storage.perform('writePrivate', { file, text: 'x' })).toEqual({ away: `${join(runs, 'run-c')} is not there` })
  })

  test('a file for all runs is ours, and all can read it', async () => {
    const file = join(runs, 'ca.pem')
    expect(await storage.perform('writePublic', { file, text: 'certificate' })).toEqual({ value: null })
    expect([statSync(file).uid, as(A, `cat ${file}`)]).toEqual([0, 'certificate'])
  })

  test('a link in the place of a run is not followed, nor given away', async () => {
    mkdirSync(join(folder, 'elsewhere'))
    symlinkSync(join(folder, 'elsewhere'), join(runs, 'run-d'))
    expect(await storage.own(join(runs, 'run-d'), A)).toHaveProperty('away')
    expect(modeOf(join(folder, 'elsewhere'))[0]).toBe(0)
  })
})
