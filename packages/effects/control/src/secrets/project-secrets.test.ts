import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventsOf, secretsStream, verifyChain, VERSIONS_KEPT } from '@ironlaw/store'
import { afterAll, expect, test } from 'vitest'
import { databaseText } from '../../test/database-text.ts'
import { onEachDatabase } from '../../test/each-database.ts'
import { createKeyFile, keyFile } from './key-file.ts'
import { MOST_SECRETS, projectSecrets } from './project-secrets.ts'

const directory = mkdtempSync(join(tmpdir(), 'ironlaw-secrets-'))
afterAll(() => rmSync(directory, { recursive: true }))

const ADA = { actor: 'ada', at: 1000 }
const PLANTED = 'planted-value-51c0'

let made = 0
async function newKeyFile(): Promise<string> {
  const file = join(directory, `${(made += 1)}.key`)
  await createKeyFile(file)
  return file
}

onEachDatabase(
  (opened) => {
    const projects = new Set<string>()
    const newProject = (): string => {
      const project = `p${projects.size}`
      projects.add(project)
      return project
    }
    const keys = newKeyFile()
    const planes = async () => {
      const file = await keys
      return [projectSecrets(opened().database, keyFile(file)), projectSecrets(opened().database, keyFile(file))] as const
    }

    test('one control plane sets it, another opens it; the list has the name and version and nothing else', async () => {
      const [one, other] = await planes()
      const project = newProject()
      await one.set({ project, name: 'hf-token', value: PLANTED }, ADA)
      await one.set({ project, name: 'hf-token', value: `${PLANTED}-2` }, ADA)
      expect(await other.list(project)).toEqual([{ name: 'hf-token', version: 2, created_at: 1000, created_by: 'ada' }])
      expect(await other.valuesOf(project, ['hf-token', 'absent'])).toEqual(new Map([['hf-token', `${PLANTED}-2`]]))
      expect(await other.valuesOf('elsewhere', ['hf-token'])).toEqual(new Map())
      expect(await other.knownValues(project)).toEqual([PLANTED, `${PLANTED}-2`])
    })

    test('the value is nowhere in the database, and its events say who set it', async () => {
      const { database } = opened()
      const [plane] = await planes()
      const project = newProject()
      await plane.set({ project, name: 'hf-token', value: PLANTED }, ADA)
      await plane.remove({ project, name: 'hf-token' }, ADA)
      await plane.set({ project, name: 'hf-token', value: PLANTED }, ADA)
      const text = await databaseText(database)
      expect(text).toContain('hf-token')
      for (const form of [PLANTED, Buffer.from(PLANTED).toString('base64'), Buffer.from(PLANTED).toString('hex')])
        expect(text).not.toContain(form)
      const events = await eventsOf(database, secretsStream(project), { after: 0, limit: 10 })
      expect(events.map(({ kind, actor, body }) => [kind, actor, body])).toEqual([
        ['secret-set', 'ada', { project, name: 'hf-token', version: 1 }],
        ['secret-deleted', 'ada', { project, name: 'hf-token', version: 1 }],
        ['secret-set', 'ada', { project, name: 'hf-token', version: 3 }],
      ])
      expect(await verifyChain(database, secretsStream(project))).toMatchObject({ intact: true })
    })

    test('a deleted one is gone with all its versions, and deleting it again says so', async () => {
      const [plane, other] = await planes()
      const project = newProject()
      await plane.set({ project, name: 'a', value: PLANTED }, ADA)
      expect(await other.knownValues(project)).toEqual([PLANTED])
      await plane.remove({ project, name: 'a' }, ADA)
      expect(await plane.list(project)).toEqual([])
      expect(await other.knownValues(project)).toEqual([])
      await expect(plane.remove({ project, name: 'a' }, ADA)).rejects.toMatchObject({ code: 'IL_NOT_FOUND' })
    })

    test('older versions are kept for a while, to be recognised in logs', async () => {
      const [plane] = await planes()
      const project = newProject()
      for (let index = 1; index <= VERSIONS_KEPT + 2; index += 1) await plane.set({ project, name: 'a', value: `value-${index}` }, ADA)
      expect(await plane.knownValues(project)).toEqual(Array.from({ length: VERSIONS_KEPT }, (_, index) => `value-${index + 3}`))
    })

    test('sealed text moved to another row is refused', async () => {
      const { database } = opened()
      const [plane] = await planes()
      const project = newProject()
      await plane.set({ project, name: 'low', value: 'of little worth' }, ADA)
      await plane.set({ project, name: 'high', value: PLANTED }, ADA)
      const high = await database
        .selectFrom('secrets')
        .selectAll()
        .where('project', '=', project)
        .where('name', '=', 'high')
        .executeTakeFirst()
      await database
        .updateTable('secrets')
        .set({ sealed: high?.sealed ?? '' })
        .where('project', '=', project)
        .where('name', '=', 'low')
        .execute()
      await expect(plane.valuesOf(project, ['low'])).rejects.toMatchObject({ code: 'IL_SECRETS_KEY' })
      expect(await plane.valuesOf(project, ['high'])).toEqual(new Map([['high', PLANTED]]))
      await plane.remove({ project, name: 'low' }, ADA)
    })

    test('the keys of another control plane do not open it, and the message says what to do', async () => {
      const [plane] = await planes()
      const stranger = projectSecrets(opened().database, keyFile(await newKeyFile()))
      const project = newProject()
      await plane.set({ project, name: 'a', value: PLANTED }, ADA)
      await expect(stranger.valuesOf(project, ['a'])).rejects.toMatchObject({ next: expect.stringContaining('copy the key file') })
      await expect(stranger.rotateKey({ ...ADA, rewrapOnly: true, forgetOld: true })).rejects.toMatchObject({ code: 'IL_SECRETS_KEY' })
      expect(await plane.valuesOf(project, ['a'])).toEqual(new Map([['a', PLANTED]]))
    })

    test('a project has a limited number of them', async () => {
      const [plane] = await planes()
      const project = newProject()
      const row = { project, version: 1, sealed: '1.x.y', key_id: 'none', created_at: 1000, created_by: 'ada' }
      const rows = Array.from({ length: MOST_SECRETS }, (_, index) => ({ ...row, name: `s${index}` }))
      await opened().database.insertInto('secrets').values(rows).execute()
      await expect(plane.set({ project, name: 'more', value: 'x' }, ADA)).rejects.toMatchObject({ code: 'IL_LIMIT' })
      await plane.set({ project, name: 's1', value: 'y' }, ADA)
      await opened().database.deleteFrom('secrets').where('project', '=', project).execute()
    })

    test('a rotated key wraps everything; the old one stays in the file until it is to be forgotten', async () => {
      const { database } = opened()
      const file = await keys
      const [one, other] = await planes()
      const project = newProject()
      await one.set({ project, name: 'a', value: PLANTED }, ADA)
      const old = await keyFile(file).read()
      const rotated = await one.rotateKey({ ...ADA, rewrapOnly: false, forgetOld: false })
      expect(rotated.keys).toBe(old.byId.size + 1)
      expect(await other.valuesOf(project, ['a'])).toEqual(new Map([['a', PLANTED]]))
      const used = await database.selectFrom('secrets').select('key_id').distinct().where('key_id', 'is not', null).execute()
      expect(used).toEqual([{ key_id: rotated.key }])
      const last = await other.rotateKey({ ...ADA, rewrapOnly: true, forgetOld: true })
      expect(last).toMatchObject({ key: rotated.key, keys: 1 })
      expect(await one.valuesOf(project, ['a'])).toEqual(new Map([['a', PLANTED]]))
    })
  },
  (opened) => {
    test('secrets that are set while two control planes rotate the key all open afterwards with one key', async () => {
      const file = await newKeyFile()
      const plane = () => projectSecrets(opened().database, keyFile(file))
      await opened().database.deleteFrom('secrets').execute()
      const names = Array.from({ length: 60 }, (_, index) => `s${index}`)
      const setting = names.map((name, index) => plane().set({ project: 'busy', name, value: `value-${index}` }, ADA))
      const rotating = [1, 2, 3].map(() => plane().rotateKey({ ...ADA, rewrapOnly: false, forgetOld: false }))
      await Promise.all([...setting, ...rotating])
      await plane().rotateKey({ ...ADA, rewrapOnly: false, forgetOld: true })
      const values = await plane().valuesOf('busy', names)
      expect(names.map((name) => values.get(name))).toEqual(names.map((_, index) => `value-${index}`))
      expect((await keyFile(file).read()).byId.size).toBe(1)
    })
  },
)
