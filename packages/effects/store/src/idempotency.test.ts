import { expect, test } from 'vitest'
import { onEachDatabase } from '../test/each-database.ts'
import { freshId, queuedRun } from '../test/samples.ts'
import { forgetKeys, type IdempotentRequest, runOnce } from './idempotency.ts'

const keyedRequest = (key: string, request_hash = 'h'): IdempotentRequest => ({ principal: 'ada', key, request_hash, at: 100 })

onEachDatabase((opened) => {
  test('the work is done once, and its answer repeated, also to requests that come at the same moment', async () => {
    const { database } = opened()
    const key = freshId('key')
    const project = freshId('project')
    const requests = Array.from({ length: 5 }, () =>
      runOnce(database, keyedRequest(key), async (transaction) => ({
        status: 201,
        body: { id: await queuedRun(transaction, { project }) },
      })),
    )
    const answers = await Promise.all(requests)
    expect(answers.map(({ kind }) => kind).toSorted()).toEqual(['done', 'repeated', 'repeated', 'repeated', 'repeated'])
    const runs = await database.selectFrom('runs').select('id').where('project', '=', project).execute()
    expect(runs).toHaveLength(1)
    for (const answer of answers) expect(answer).toMatchObject({ answer: { status: 201, body: { id: runs[0]?.id } } })
  })

  test('a key used for another request is a mismatch; another principal may use it', async () => {
    const { database } = opened()
    const key = freshId('key')
    const work = async () => ({ status: 200, body: null })
    expect(await runOnce(database, keyedRequest(key), work)).toEqual({ kind: 'done', answer: { status: 200, body: null } })
    expect(await runOnce(database, keyedRequest(key, 'other'), work)).toEqual({ kind: 'mismatch' })
    expect(await runOnce(database, keyedRequest(key), work)).toEqual({ kind: 'repeated', answer: { status: 200, body: null } })
    expect(await runOnce(database, { ...keyedRequest(key), principal: 'eve' }, work)).toMatchObject({ kind: 'done' })
  })

  test('work that fails leaves nothing, and may be asked for again; so may work that was forgotten', async () => {
    const { database } = opened()
    const key = freshId('key')
    const failing = runOnce(database, keyedRequest(key), async () => {
      throw new Error('no room')
    })
    await expect(failing).rejects.toThrow('no room')
    const work = async () => ({ status: 200, body: 'x' })
    expect(await runOnce(database, keyedRequest(key), work)).toMatchObject({ kind: 'done' })
    await forgetKeys(database, 100)
    expect(await runOnce(database, keyedRequest(key), work)).toMatchObject({ kind: 'repeated' })
    await forgetKeys(database, 101)
    expect(await runOnce(database, keyedRequest(key), work)).toMatchObject({ kind: 'done' })
  })
})
