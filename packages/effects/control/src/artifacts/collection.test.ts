import { type Artifacts, objectKeys } from '@ironlaw/artifacts'
import { canonicalJson, IronlawError } from '@ironlaw/contracts'
import { artifactId, type ArtifactManifest, type ChunkList, chunkListDigest, objectKey } from '@ironlaw/contracts/artifact'
import { expect, test } from 'vitest'
import { randomFrom } from '../../test/random-from.ts'
import { type PlantedFault, SteppedWorld } from '../../test/stepped-storage.ts'
import { collectObjects } from './collect-objects.ts'
import { registerObjects } from './register-objects.ts'

const root = (chunk: number): string => String(chunk).padStart(64, 'c')

/** Artifacts that share chunks with each other. */
const VERSIONS = [[0], [0, 1], [1, 2], [2]].map((chunks) => {
  const list: ChunkList = { leaf: 'line', chunks: chunks.map((each) => ({ root: root(each), bytes: 1, leaves: 1 })) }
  const digest = chunkListDigest(list)
  const files = [{ path: 'a.txt', bytes: chunks.length, leaves: chunks.length, chunks: digest }]
  const manifest: ArtifactManifest = { apiVersion: 'ironlaw/v1', kind: 'Artifact', type: 'dataset', files, facts: {} }
  const objects = new Map([
    ...chunks.map((each) => [objectKey.chunk(root(each)), Buffer.from('x')] as const),
    [objectKey.list(digest), Buffer.from(canonicalJson(list))] as const,
    [objectKey.manifest(artifactId(manifest)), Buffer.from(canonicalJson(manifest))] as const,
  ])
  return { manifest, id: artifactId(manifest), objects }
})

type Actor = { readonly world: SteppedWorld; readonly name: string; readonly random: () => number }

const artifactsOf = ({ world, name }: Actor): Artifacts => ({ storage: world.storageOf(name), key: Buffer.alloc(32) })

/** Uploads what is missing and registers, again and again. */
async function registrant(actor: Actor): Promise<void> {
  const { world, name, random } = actor
  const artifacts = artifactsOf(actor)
  for (let round = 0; round < 4; round += 1) {
    const version = VERSIONS[Math.floor(random() * VERSIONS.length)]
    if (!version) return
    let again: readonly string[] = []
    for (let tries = 0; tries < 4; tries += 1) {
      for (const [key, content] of version.objects)
        if (again.includes(key) || !(await artifacts.storage.has(key))) await artifacts.storage.put(key, content)
      const author = { actor: name, at: world.at }
      const request = { project: 'p', manifest: version.manifest, author }
      const answer = await orUnavailable(registerObjects({ tables: world.tablesOf(name), artifacts, now: world.now }, request))
      if (answer === 'unavailable') continue
      if (answer.state === 'registered') break
      again = answer.keys
    }
    if (random() < 0.7) world.remove(version.id)
  }
}

async function collector(actor: Actor): Promise<void> {
  const { world, name } = actor
  for (let round = 0; round < 3; round += 1)
    await orUnavailable(
      Array.fromAsync(collectObjects({ tables: world.tablesOf(name), artifacts: artifactsOf(actor), now: world.now, batch: 3 })),
    )
}

async function orUnavailable<T>(work: Promise<T>): Promise<T | 'unavailable'> {
  try {
    return await work
  } catch (cause) {
    if (cause instanceof IronlawError) return 'unavailable'
    throw cause
  }
}

/** What a registered artifact lacks, if anything ever. */
function lacking(world: SteppedWorld): string | undefined {
  for (const id of world.neededIds())
    for (const key of VERSIONS.find((each) => each.id === id)?.objects.keys() ?? [])
      if (!world.objects.has(key)) return `${id} lacks ${key}`
  return undefined
}

type History = { readonly loss: string | undefined; readonly removed: number }

async function history(seed: number, fault?: PlantedFault): Promise<History> {
  const random = randomFrom(seed)
  const world = new SteppedWorld(random, fault)
  for (const { objects } of VERSIONS)
    for (const [key, content] of objects) if (random() < 0.7) world.objects.set(key, { content, modified_at: 0 })
  const names = ['r1', 'r2', 'c1', 'c2']
  const ended: string[] = []
  const failures: unknown[] = []
  for (const name of names) {
    const actor = { world, name, random: randomFrom(seed * 7 + name.charCodeAt(0) + name.charCodeAt(1)) }
    void (name.startsWith('r') ? registrant(actor) : collector(actor))
      .catch((cause: unknown) => failures.push(cause))
      .finally(() => ended.push(name))
  }
  let removed = 0
  let before = world.objects.size
  for (let idle = 0; ended.length < names.length && idle < 50;) {
    await new Promise(setImmediate)
    idle = world.step(names) ? 0 : idle + 1
    removed += Math.max(0, before - world.objects.size)
    before = world.objects.size
    const loss = lacking(world)
    if (loss !== undefined) return { loss, removed }
  }
  expect(failures).toEqual([])
  return { loss: undefined, removed }
}

const SEEDS = 400

test('no registered artifact ever lacks an object, whoever is killed when', { timeout: 300_000 }, async () => {
  let removed = 0
  for (let seed = 0; seed < SEEDS; seed += 1) {
    const { loss, removed: more } = await history(seed)
    expect(loss, `seed ${seed}`).toBeUndefined()
    removed += more
  }
  expect(removed).toBeGreaterThan(SEEDS)
})

test.each<PlantedFault>([
  'no second look',
  'claim after removal',
  'no reading of new artifacts',
  'highest without lock',
  'claims are not waited for',
])('the histories find this fault: %s', { timeout: 300_000 }, async (fault) => {
  for (let seed = 0; seed < SEEDS; seed += 1) if ((await history(seed, fault)).loss !== undefined) return
  expect.fail(`none of ${SEEDS} histories lost an object`)
})

test('the keys of a version are those that the storage has of it', async () => {
  const world = new SteppedWorld(() => 0.5)
  for (const { manifest, objects } of VERSIONS) {
    for (const [key, content] of objects) world.objects.set(key, { content, modified_at: 0 })
    const keys = Array.fromAsync(objectKeys(artifactsOf({ world, name: 'r', random: Math.random }), manifest))
    const stepping = setInterval(() => world.step(['nobody']), 0)
    expect(new Set(await keys)).toEqual(new Set(objects.keys()))
    clearInterval(stepping)
  }
})
