import { expect, test } from 'vitest'
import { onEachDatabase } from '../test/each-database.ts'
import { freshId } from '../test/samples.ts'
import { FEED_START } from './events.ts'
import { leaveFeedReader, moveFeedReader, takeFeedReader } from './feed-readers.ts'

onEachDatabase((opened) => {
  test('a reader begins with the first event, keeps its place, and is read for by one process at a time', async () => {
    const { database } = opened()
    const name = freshId('reader')
    const [one, other] = [
      { name, holder: 'one' },
      { name, holder: 'other' },
    ]
    expect(await takeFeedReader(database, one, { at: 1000, until_at: 1030 })).toEqual(FEED_START)
    expect(await takeFeedReader(database, other, { at: 1000, until_at: 1030 })).toBeUndefined()
    expect(await moveFeedReader(database, other, { cursor: FEED_START, until_at: 1030 })).toBe('lost')
    // Beyond what a double can hold.
    const cursor = { transaction_id: '9007199254740995', feed: 12 }
    expect(await moveFeedReader(database, one, { cursor, until_at: 1040 })).toBe('moved')
    expect(await takeFeedReader(database, other, { at: 1035, until_at: 1070 })).toBeUndefined()
    expect(await takeFeedReader(database, other, { at: 1041, until_at: 1071 })).toEqual(cursor)
    expect(await moveFeedReader(database, one, { cursor: FEED_START, until_at: 1080 })).toBe('lost')
    await leaveFeedReader(database, other)
    expect(await takeFeedReader(database, one, { at: 1042, until_at: 1072 })).toEqual(cursor)
  })
})
