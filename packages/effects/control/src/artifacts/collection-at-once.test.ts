// Registrants and collectors at once, on a PostgreSQL server and a directory, with uploads kept for no time at all. Steps in any order are in
// collection.test.ts; here the locks are those of the server, and the collector that is killed is a process.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { addFiles, type Artifacts, objectKeys, openArtifacts, openStorage, readManifest, verify } from '@ironlaw/artifacts'
import { IronlawError } from '@ironlaw/contracts'
import { artifactId, type ArtifactManifest } from '@ironlaw/contracts/artifact'
import { type Database, listArtifacts, removeArtifact } from '@ironlaw/store'
import { afterAll, expect, test } from 'vitest'
import { onServer } from '../../test/each-database.ts'
import { randomFrom } from '../../test/random-from.ts'
import { collectObjects } from './collect-objects.ts'
import { collectionTables } from './collection-tables.ts'
import { type Registered, registerObjects } from './register-objects.ts'

const COLLECTOR = fileURLToPath(new URL('endless-collector.fixture.ts', import.meta.url))
const SEED = Number(process.env['FC_SEED'] ?? new Date().toISOString().slice(0, 10).replaceAll('-', ''))
const PROJECT = 'p'
const SHARED = 4
const REGISTRANTS = 3
const ROUNDS = 8
const MOST_TRIES = 200
/** Longer than a claim lasts. */
const CLAIM_IS_VOID_S = 700

const folder = mkdtempSync(join(tmpdir(), 'ironlaw-at-once-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Site = { readonly database: Database; readonly artifacts: Artifacts; passed_s: number }

const nowOf = (site: Site) => (): number => Date.now() / 1000 + site.passed_s

/** A database has one storage. */
async function openSite(database: Database): Promise<Site> {
  return { database, artifacts: await openArtifacts(openStorage(join(folder, 'storage'))), passed_s: 0 }
}

/** Equal names are equal content. */
function sourceOf(name: string): { readonly path: string; readonly from: string } {
  const from = join(folder, `${name}.txt`)
  if (!existsSync(from)) writeFileSync(from, `${name}\n`)
  return { path: `${name}.txt`, from }
}

type Parts = Pick<Parameters<typeof collectObjects>[0], 'tables' | 'artifacts'>

const partsOf = ({ database, artifacts }: Site): Parts => ({ tables: collectionTables(database), artifacts })

const collect = (site: Site, parts = partsOf(site)) =>
  Array.fromAsync(collectObjects({ ...parts, now: nowOf(site), batch: 3, youngest_s: 0 }))

/** Undefined where it was told to come back later. */
async function register(site: Site, manifest: ArtifactManifest, project = PROJECT): Promise<Registered | undefined> {
  const request = { project, manifest, author: { actor: 'ada', at: 1000 } }
  try {
    return await registerObjects({ ...partsOf(site), now: nowOf(site) }, request)
  } catch (cause) {
    if (cause instanceof IronlawError && cause.code === 'IL_UNAVAILABLE') return undefined
    throw cause
  }
}

/** Uploads and registers until it is there: what is collected in between is uploaded again. */
async function addUntilRegistered(site: Site, names: readonly string[]): Promise<string> {
  const files = names.map(sourceOf)
  let again: ReadonlySet<string> = new Set()
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const manifest = await addFiles(site.artifacts, { files, type: 'dataset', again })
    const answer = await register(site, manifest)
    if (answer?.state === 'registered') return answer.artifact.id
    if (answer) again = new Set(answer.keys)
  }
  throw new Error(`not registered in ${MOST_TRIES} tries: ${names.join(', ')}`)
}

async function registrant(site: Site, name: string, random: () => number): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const shared = `shared-${Math.floor(random() * SHARED)}`
    const id = await addUntilRegistered(site, random() < 0.5 ? [shared] : [shared, `${name}-${round}`])
    if (random() < 0.5) await removeArtifact(site.database, { project: PROJECT, id }, { actor: name, at: 2000 })
  }
}

function whenRemoving(collector: ChildProcess, removal: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let seen = 0
  collector.stdout?.on('data', (text: Buffer) => {
    seen += String(text).split('\n').length - 1
    if (seen >= removal) resolve()
  })
  return promise
}

/** At a removal, or when all is registered: others may have left it nothing to remove. */
async function killCollector(site: Site, collector: ChildProcess, at: Promise<unknown>): Promise<void> {
  await at
  const gone = once(collector, 'exit')
  collector.kill('SIGKILL')
  await gone
  site.passed_s = CLAIM_IS_VOID_S
}

async function collectUntil(site: Site, end: Promise<unknown>): Promise<void> {
  const state = { ended: false }
  const ending = end.finally(() => {
    state.ended = true
  })
  while (!state.ended) await collect(site)
  await ending
}

async function registeredIds({ database }: Site): Promise<readonly string[]> {
  return (await listArtifacts(database, { project: PROJECT }, { limit: 1000 })).map(({ id }) => id)
}

async function keysIn({ artifacts: { storage } }: Site): Promise<readonly string[]> {
  const objects = await Array.fromAsync(storage.list(''))
  return objects.flatMap(({ key }) => (key.includes('/') ? key : [])).toSorted()
}

async function expectWhole({ artifacts }: Site, ids: readonly string[]): Promise<void> {
  for (const id of ids) expect(await Array.fromAsync(verify(artifacts, await readManifest(artifacts, id))), `seed ${SEED}`).toEqual([])
}

onServer((opened) => {
  test(`what is registered is whole, and nothing else is left, after a collector was killed (seed ${SEED})`, async () => {
    const { database, url = '' } = opened()
    const site = await openSite(database)
    const random = randomFrom(SEED)
    for (let each = 0; each < 10; each += 1) await addFiles(site.artifacts, { files: [sourceOf(`nobody-${each}`)], type: 'dataset' })
    const collector = spawn(process.execPath, [COLLECTOR, url, site.artifacts.storage.url], { stdio: ['ignore', 'pipe', 'inherit'] })
    // Only then does the other begin, so that both remove at once.
    await whenRemoving(collector, 1)
    const names = Array.from({ length: REGISTRANTS }, (_, index) => `registrant-${index}`)
    const registered = Promise.all(names.map((name, index) => registrant(site, name, randomFrom(SEED + index))))
    const removing = whenRemoving(collector, 1 + Math.floor(random() * 15))
    await Promise.all([killCollector(site, collector, Promise.race([removing, registered])), collectUntil(site, registered)])

    const ids = await registeredIds(site)
    expect(ids.length).toBeGreaterThan(0)
    await expectWhole(site, ids)
    await collect(site)
    await expectWhole(site, ids)
    const needed = new Set<string>()
    for (const id of ids) for await (const key of objectKeys(site.artifacts, await readManifest(site.artifacts, id))) needed.add(key)
    expect(await keysIn(site), `seed ${SEED}`).toEqual([...needed].toSorted())
  })

  test('two that register while exactly their objects are collected have all of them, or are not registered', async () => {
    const site = await openSite(opened().database)
    const random = randomFrom(SEED)
    const outcomes = new Set<boolean>()
    for (let round = 0; round < 12; round += 1) {
      const manifest = await addFiles(site.artifacts, { files: [sourceOf('both'), sourceOf(`round-${round}`)], type: 'dataset' })
      const { reached, collecting } = collectTo(site, POINTS[round % POINTS.length] ?? 'begin')
      const registering = ['q', 'r'].map(async (project) => {
        await reached
        for (let turns = random() * 10; turns > 1; turns -= 1) await new Promise(setImmediate)
        return register(site, manifest, project)
      })
      const [answers] = await Promise.all([Promise.all(registering), collecting])
      const id = artifactId(manifest)
      const isRegistered = answers.some((answer) => answer?.state === 'registered')
      if (isRegistered) await expectWhole(site, [id])
      outcomes.add(isRegistered)
      for (const project of ['q', 'r']) await removeArtifact(site.database, { project, id }, { actor: 'ada', at: 2000 })
    }
    expect(outcomes, `seed ${SEED}`).toEqual(new Set([true, false]))
  })
})

const POINTS = ['begin', 'claim', 'lock', 'remove'] as const

/** A collection, and when it reaches a point for the first time. */
function collectTo(site: Site, point: (typeof POINTS)[number]): { readonly reached: Promise<void>; readonly collecting: Promise<unknown> } {
  const { promise: reached, resolve } = Promise.withResolvers<void>()
  const pass = (here: (typeof POINTS)[number]): void => {
    if (here === point) resolve()
  }
  const tables = collectionTables(site.database)
  const { storage } = site.artifacts
  pass('begin')
  const collecting = collect(site, {
    tables: {
      ...tables,
      claim: (claim) => (pass('claim'), tables.claim(claim)),
      removing: (work) => tables.removing((open) => (pass('lock'), work(open))),
    },
    artifacts: { ...site.artifacts, storage: { ...storage, remove: (key) => (pass('remove'), storage.remove(key)) } },
  })
  // Where there was nothing to remove, it never came so far.
  return { reached, collecting: collecting.finally(resolve) }
}
