import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { onEachDatabase } from '../test/each-database.ts'
import { freshId, queuedRun } from '../test/samples.ts'
import { addEdges, edgesOf, traceLineage } from './artifact-edges.ts'
import {
  artifactNames,
  artifactsStream,
  currentNames,
  findArtifact,
  listArtifacts,
  nameArtifact,
  type NewArtifact,
  registerArtifact,
  removeArtifact,
} from './artifacts.ts'
import type { Database } from './database.ts'
import { eventsOf, verifyChain } from './events.ts'

const AUTHOR = { actor: 'ada', at: 1000 }

const idOf = (text: string): string => `art-${text.padEnd(64, '0')}`

const dataset = (project: string, id: string, over: Partial<NewArtifact> = {}): NewArtifact => ({
  project,
  id,
  type: 'dataset',
  bytes: 10,
  files: 1,
  leaves: 2,
  facts: { tokenizer: 'bpe' },
  ...over,
})

const kindsOf = async (database: Database, project: string): Promise<readonly string[]> =>
  (await eventsOf(database, artifactsStream(project), { after: 0, limit: 100 })).map(({ kind }) => kind)

onEachDatabase((opened) => {
  test('a registration, repeated or not, is one row, one edge, one name and their events', async () => {
    const { database } = opened()
    const project = freshId('project')
    const run = await queuedRun(database, { project })
    const wanted = dataset(project, idOf('a'), { name: 'corpus', made_by: run })
    const first = await registerArtifact(database, wanted, AUTHOR)
    expect(await registerArtifact(database, wanted, { ...AUTHOR, at: 2000 })).toEqual(first)
    expect(first).toMatchObject({ type: 'dataset', facts: { tokenizer: 'bpe' }, made_by: run, created_at: 1000, removed_at: null })
    expect(await edgesOf(database, [run], 'made')).toEqual(new Map([[run, [idOf('a')]]]))
    expect(await kindsOf(database, project)).toEqual(['artifact-registered', 'name-set'])
    const other = await queuedRun(database, { project })
    await registerArtifact(database, { ...wanted, made_by: other }, AUTHOR)
    expect(await kindsOf(database, project)).toEqual(['artifact-registered', 'name-set', 'artifact-made'])
    expect(await verifyChain(database, artifactsStream(project))).toMatchObject({ intact: true })
  })

  test('an id is found by its beginning, unless two begin so; a name by its version too; never in another project', async () => {
    const { database } = opened()
    const project = freshId('project')
    for (const id of ['abcdef0123', 'abcdef0199', 'ffffffff']) await registerArtifact(database, dataset(project, idOf(id)), AUTHOR)
    for (const id of ['abcdef0123', 'ffffffff']) await nameArtifact(database, { project, name: 'corpus', artifact_id: idOf(id) }, AUTHOR)
    const lookUp = async (reference: string, of = project) => {
      const answer = await findArtifact(database, of, reference)
      return answer.found === 'one' ? answer.artifact.id : answer.found === 'several' ? answer.ids : undefined
    }
    expect(await lookUp('art-abcdef012')).toBe(idOf('abcdef0123'))
    expect(await lookUp(idOf('abcdef0199'))).toBe(idOf('abcdef0199'))
    expect(await lookUp('art-abcdef01')).toEqual([idOf('abcdef0123'), idOf('abcdef0199')])
    expect(await lookUp('art-abc')).toBeUndefined()
    expect(await lookUp('corpus')).toBe(idOf('ffffffff'))
    expect(await lookUp('corpus@1')).toBe(idOf('abcdef0123'))
    expect(await lookUp('corpus@3')).toBeUndefined()
    expect(await lookUp(idOf('ffffffff'), freshId('project'))).toBeUndefined()
    expect(await lookUp('corpus', freshId('project'))).toBeUndefined()
  })

  test('what a name points at cannot be removed; what was removed keeps its row and comes back with a higher sequence', async () => {
    const { database } = opened()
    const project = freshId('project')
    const place = { project, id: idOf('a') }
    const before = await registerArtifact(database, dataset(project, place.id, { name: 'corpus' }), AUTHOR)
    await registerArtifact(database, dataset(project, idOf('b')), AUTHOR)
    expect(await removeArtifact(database, place, AUTHOR)).toEqual({ names: ['corpus'] })
    await nameArtifact(database, { project, name: 'corpus', artifact_id: idOf('b') }, AUTHOR)
    expect(await removeArtifact(database, place, { ...AUTHOR, at: 3000 })).toMatchObject({ removed_at: 3000 })
    expect(await removeArtifact(database, place, { ...AUTHOR, at: 4000 })).toMatchObject({ removed_at: 3000 })
    expect(await nameArtifact(database, { project, name: 'again', artifact_id: place.id }, AUTHOR)).toBe('removed')
    expect(await removeArtifact(database, { project, id: idOf('c') }, AUTHOR)).toBe('unknown')
    expect((await listArtifacts(database, { project }, { limit: 10 })).map(({ id }) => id)).toEqual([idOf('b')])
    const again = await registerArtifact(database, dataset(project, place.id), AUTHOR)
    expect(again).toMatchObject({ created_at: 1000, removed_at: null })
    expect(again.sequence).toBeGreaterThan(before.sequence)
  })

  test('what a run uses cannot be removed until the run has ended; what a run has made can', async () => {
    const { database } = opened()
    const project = freshId('project')
    const [user, maker] = [await queuedRun(database, { project }), await queuedRun(database, { project })]
    const place = { project, id: idOf('a') }
    await registerArtifact(database, dataset(project, place.id, { made_by: maker }), AUTHOR)
    await addEdges(database, { run_id: user, project, artifacts: [place.id], how: 'used', at: 1000 })
    expect(await removeArtifact(database, place, AUTHOR)).toEqual({ runs: [user] })
    await database.updateTable('runs').set({ state: 'failed', ended_at: 2000 }).where('id', '=', user).execute()
    expect(await removeArtifact(database, place, AUTHOR)).toMatchObject({ removed_at: 1000 })
  })

  test('pages of a list and of a history meet without a gap', async () => {
    const { database } = opened()
    const project = freshId('project')
    for (let each = 0; each < 7; each += 1)
      await registerArtifact(database, dataset(project, idOf(`${each}`), { name: 'n', type: each % 2 === 0 ? 'model' : 'dataset' }), AUTHOR)
    const first = await listArtifacts(database, { project, type: 'model' }, { limit: 2 })
    const rest = await listArtifacts(database, { project, type: 'model' }, { limit: 9, before: first.at(-1)?.sequence ?? 0 })
    expect([...first, ...rest].map(({ id }) => id)).toEqual(['6', '4', '2', '0'].map(idOf))
    const names = await artifactNames(database, { project, name: 'n' }, { limit: 3 })
    const older = await artifactNames(database, { project, name: 'n' }, { limit: 9, before: names.at(-1)?.version ?? 0 })
    expect([...names, ...older].map(({ version }) => version)).toEqual([7, 6, 5, 4, 3, 2, 1])
  })
})

const KINDS = ['used', 'made'] as const
const NODES = 6

const edge = fc.record({ run: fc.nat({ max: NODES - 1 }), artifact: fc.nat({ max: NODES - 1 }), how: fc.constantFrom(...KINDS) })
const action = fc.oneof(
  fc.record({ do: fc.constant('edge' as const), edge }),
  fc.record({ do: fc.constant('name' as const), name: fc.constantFrom('a', 'b'), artifact: fc.nat({ max: NODES - 1 }) }),
  fc.record({ do: fc.constant('remove' as const), artifact: fc.nat({ max: NODES - 1 }) }),
  fc.record({ do: fc.constant('register' as const), artifact: fc.nat({ max: NODES - 1 }) }),
)

type ModelEdge = { readonly run: string; readonly artifact: string; readonly how: 'used' | 'made' }

/** The walk, as anybody would write it over a list of edges. */
function modelTrace(edges: readonly ModelEdge[], start: string, direction: 'up' | 'down'): ReadonlySet<string> {
  const reached = new Set([start])
  for (const node of reached)
    for (const { run, artifact, how } of edges) {
      const forwards = (how === 'used') === (direction === 'down')
      const [from, to] = forwards ? [artifact, run] : [run, artifact]
      if (from === node) reached.add(to)
    }
  return reached
}

onEachDatabase((opened) => {
  test('any history leaves what a model of it says: traces both ways, names, what is removed', { timeout: 120_000 }, async () => {
    const { database } = opened()
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 25 }), async (actions) => {
        const project = freshId('project')
        const ids = Array.from({ length: NODES }, (_, index) => idOf(`${index}`))
        const runs: string[] = []
        for (const id of ids) {
          await registerArtifact(database, dataset(project, id), AUTHOR)
          runs.push(await queuedRun(database, { project }))
        }
        const edges: ModelEdge[] = []
        const names = new Map<string, string>()
        const removed = new Set<string>()
        for (const step of actions) {
          const id = ids[step.do === 'edge' ? step.edge.artifact : step.artifact] ?? ''
          if (step.do === 'edge') {
            const run = runs[step.edge.run] ?? ''
            const { how } = step.edge
            if (how === 'used' && removed.has(id)) {
              const refused = addEdges(database, { run_id: run, project, artifacts: [id], how, at: 1 })
              await expect(refused).rejects.toMatchObject({ code: 'IL_CONFLICT' })
              continue
            }
            const isNew = !edges.some((each) => each.run === run && each.artifact === id && each.how === how)
            expect(await addEdges(database, { run_id: run, project, artifacts: [id], how, at: 1 })).toEqual(isNew ? [id] : [])
            if (isNew) edges.push({ run, artifact: id, how })
          } else if (step.do === 'name') {
            const answer = await nameArtifact(database, { project, name: step.name, artifact_id: id }, AUTHOR)
            expect(answer === 'removed').toBe(removed.has(id))
            if (!removed.has(id)) names.set(step.name, id)
          } else if (step.do === 'remove') {
            const isNamed = [...names.values()].includes(id)
            const isUsed = edges.some(({ artifact, how }) => artifact === id && how === 'used')
            const answer = await removeArtifact(database, { project, id }, AUTHOR)
            expect(answer).toHaveProperty(isNamed ? 'names' : isUsed ? 'runs' : 'removed_at')
            if (!isNamed && !isUsed) removed.add(id)
          } else {
            await registerArtifact(database, dataset(project, id), AUTHOR)
            removed.delete(id)
          }
        }
        const current = await currentNames(database, project, ids)
        expect(new Map([...current].flatMap(([id, each]) => each.map((name) => [name, id] as const)))).toEqual(names)
        const listed = await listArtifacts(database, { project }, { limit: 100 })
        expect(listed.map(({ id }) => id).toSorted()).toEqual(ids.filter((id) => !removed.has(id)))
        for (const direction of ['up', 'down'] as const)
          for (const start of [{ artifact: ids[0] ?? '' }, { run: runs[0] ?? '' }]) {
            const trace = await traceLineage(database, { project, direction, ...start })
            const expected = modelTrace(edges, Object.values(start)[0] ?? '', direction)
            expect(new Set([...trace.artifacts, ...trace.runs].map(({ id }) => id))).toEqual(expected)
            const among = edges.filter(({ run, artifact }) => expected.has(run) && expected.has(artifact))
            expect(new Set(trace.edges)).toEqual(new Set(among))
            expect(trace.truncated).toBe(false)
          }
      }),
      { numRuns: 15 },
    )
  })
}, contended)

function contended(opened: () => { readonly database: Database }): void {
  test('a run that is made while what it uses is removed is refused, or the removal is', async () => {
    const { database } = opened()
    for (let round = 0; round < 20; round += 1) {
      const project = freshId('project')
      const place = { project, id: idOf('a') }
      await registerArtifact(database, dataset(project, place.id), AUTHOR)
      const run_id = await queuedRun(database, { project })
      const using = database
        .transaction()
        .execute((transaction) => addEdges(transaction, { run_id, project, artifacts: [place.id], how: 'used', at: 1 }))
      const [used, removed] = await Promise.allSettled([using, removeArtifact(database, place, AUTHOR)])
      const isRemoved = removed.status === 'fulfilled' && typeof removed.value === 'object' && 'removed_at' in removed.value
      expect(used.status).toBe(isRemoved ? 'rejected' : 'fulfilled')
    }
  })
}
