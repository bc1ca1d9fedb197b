import { expect, test } from 'vitest'
import { onEachDatabase } from '../test/each-database.ts'
import { freshId } from '../test/samples.ts'
import { artifactsStream, registerArtifact, removeArtifact } from './artifacts.ts'
import { type Database, openEmbedded } from './database.ts'
import { addDecision, decisionsOf, type NewDecision, newestDecisions, standingApprovals } from './decisions.ts'
import { eventsOf, verifyChain } from './events.ts'
import { migrate, migrationFiles } from './migrate.ts'

const AUTHOR = { actor: 'ada', at: 1000 }
const ID = `art-${'a'.repeat(64)}`

async function registered(database: Database): Promise<string> {
  const project = freshId('project')
  await registerArtifact(database, { project, id: ID, type: 'model', bytes: 1, files: 1, leaves: 1, facts: {} }, AUTHOR)
  return project
}

const decision = (project: string, over: Partial<NewDecision> = {}): NewDecision => ({
  project,
  artifact_id: ID,
  answer: 'released',
  rule: 'judgement',
  evidence: { artifacts: [], figures: [{ name: 'accuracy', value: 0.8 }] },
  why: 'as good as before',
  seen: 0,
  ...over,
})

onEachDatabase(
  (opened) => {
    test('a decision is a row and an event, numbered from one, and needs to know the one before', async () => {
      const { database } = opened()
      const project = await registered(database)
      expect(await addDecision(database, decision(project), AUTHOR)).toMatchObject({
        number: 1,
        by: 'ada',
        otherwise: null,
        until_at: null,
      })
      expect(await addDecision(database, decision(project, { answer: 'refused' }), AUTHOR)).toMatchObject({ newest: { number: 1 } })
      expect(await addDecision(database, decision(project, { seen: 2 }), AUTHOR)).toMatchObject({ newest: { number: 1 } })
      await addDecision(database, decision(project, { answer: 'waived', until_at: 2000, seen: 1, otherwise: 'time' }), AUTHOR)
      await addDecision(database, decision(project, { answer: 'waived', until_at: 3000, seen: 2 }), AUTHOR)
      expect((await decisionsOf(database, { project, artifact_id: ID }, 2)).map(({ number }) => number)).toEqual([3, 2])
      const newest = (await newestDecisions(database, project, [ID])).get(ID) ?? []
      expect(newest.toSorted((a, b) => a.number - b.number).map(({ number, answer }) => [number, answer])).toEqual([
        [1, 'released'],
        [3, 'waived'],
      ])
      const events = await eventsOf(database, artifactsStream(project), { after: 1, limit: 10 })
      expect(events).toMatchObject([
        { kind: 'decision-made', actor: 'ada', body: { artifact: ID, number: 1, answer: 'released', why: 'as good as before' } },
        { body: { number: 2, until_at: 2000, otherwise: 'time' } },
        { body: { number: 3 } },
      ])
      expect(await verifyChain(database, artifactsStream(project))).toMatchObject({ intact: true })
    })

    test('what was removed is retired or refused, not released; what is not there is neither', async () => {
      const { database } = opened()
      const project = await registered(database)
      await removeArtifact(database, { project, id: ID }, AUTHOR)
      expect(await addDecision(database, decision(project), AUTHOR)).toBe('removed')
      expect(await addDecision(database, decision(project, { answer: 'waived', until_at: 2000 }), AUTHOR)).toBe('removed')
      expect(await addDecision(database, decision(project, { answer: 'retired' }), AUTHOR)).toMatchObject({ number: 1 })
      expect(await addDecision(database, decision(freshId('project')), AUTHOR)).toBe('unknown')
    })

    test('approvals stand from the last refusal or retirement on, the newest of each person; only they have a role', async () => {
      const { database } = opened()
      const project = await registered(database)
      const made: (readonly [NewDecision['answer'], string])[] = [
        ['approved', 'ben'],
        ['refused', 'ada'],
        ['approved', 'cleo'],
        ['released', 'ada'],
        ['approved', 'ben'],
        ['approved', 'cleo'],
      ]
      for (const [index, [answer, actor]] of made.entries())
        await addDecision(database, decision(project, { answer, seen: index, ...(answer === 'approved' && { role: 'operator' }) }), {
          ...AUTHOR,
          actor,
        })
      const standing = () => standingApprovals(database, { project, artifact_id: ID })
      expect((await standing()).map(({ number, by, role }) => [number, by, role])).toEqual([
        [5, 'ben', 'operator'],
        [6, 'cleo', 'operator'],
      ])
      await addDecision(database, decision(project, { answer: 'retired', seen: 6 }), AUTHOR)
      expect(await standing()).toEqual([])
      await expect(addDecision(database, decision(project, { answer: 'approved', seen: 7 }), AUTHOR)).rejects.toThrow('check')
      await expect(addDecision(database, decision(project, { role: 'operator', seen: 7 }), AUTHOR)).rejects.toThrow('check')
    })

    test('a waiver without an end, and an end without a waiver, are refused by the database', async () => {
      const { database } = opened()
      const project = await registered(database)
      await expect(addDecision(database, decision(project, { answer: 'waived' }), AUTHOR)).rejects.toThrow('check')
      await expect(addDecision(database, decision(project, { until_at: 2000 }), AUTHOR)).rejects.toThrow('check')
      expect(await decisionsOf(database, { project, artifact_id: ID }, 10)).toEqual([])
      expect(await eventsOf(database, artifactsStream(project), { after: 1, limit: 10 })).toEqual([])
    })
  },
  (opened) => {
    test('of many that decide at once having seen nothing, one does', async () => {
      const { database } = opened()
      const project = await registered(database)
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) => addDecision(database, decision(project), { ...AUTHOR, actor: `person-${index}` })),
      )
      expect(answers.filter((answer) => typeof answer === 'object' && 'number' in answer)).toHaveLength(1)
      expect(await decisionsOf(database, { project, artifact_id: ID }, 10)).toHaveLength(1)
    })
  },
)

test('a database of the release before keeps its models, which nothing was decided about', { timeout: 60_000 }, async () => {
  const database = await openEmbedded('memory')
  const files = await migrationFiles()
  const before = files.findIndex(({ name }) => name.endsWith('evaluations-of-models'))
  await migrate(database, files.slice(0, before))
  const project = await registered(database)
  expect(await migrate(database, files)).toEqual(files.slice(before).map(({ name }) => name))
  expect(await addDecision(database, decision(project), AUTHOR)).toMatchObject({ number: 1 })
  await database.destroy()
})
