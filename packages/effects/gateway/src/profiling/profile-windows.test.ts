import { PROFILE_REPORT, type ProfileWindow } from '@ironlaw/contracts/profile'
import { expect, test } from 'vitest'
import { MOST_CLASSES, ProfileWindows } from './profile-windows.ts'

function startWindows(mostHeld = 100) {
  const state = { now: 7200, dropped: 0 }
  const windows = new ProfileWindows({ clock: () => state.now, onDrop: () => (state.dropped += 1), mostHeld })
  const count = (pool: string, tenantClass = 'default'): void => {
    const window = windows.at(pool, tenantClass)
    if (!window) return
    window.counter.rows += 1
    window.version += 1
  }
  const sent = (acknowledged = true): readonly ProfileWindow[] => {
    const message = windows.message()
    if (acknowledged) message?.acknowledge()
    return message ? PROFILE_REPORT.parse({ boot: 'b', windows: JSON.parse(message.windows) }).windows : []
  }
  return { state, windows, count, sent }
}

const rowsOf = (all: readonly ProfileWindow[]) => all.map(({ pool, class: own, hour, profile }) => [pool, own, hour, profile.rows])

test('a message has the totals of what changed since it was acknowledged', () => {
  const { count, sent } = startWindows()
  count('a')
  count('b')
  expect(rowsOf(sent(false))).toEqual([
    ['a', 'default', 2, 1],
    ['b', 'default', 2, 1],
  ])
  count('a')
  expect(rowsOf(sent())).toEqual([
    ['a', 'default', 2, 2],
    ['b', 'default', 2, 1],
  ])
  count('b')
  expect(rowsOf(sent())).toEqual([['b', 'default', 2, 2]])
  expect(sent()).toEqual([])
})

test('what comes while a message is under way is in the next one', () => {
  const { windows, count, sent } = startWindows()
  count('a')
  const message = windows.message()
  count('a')
  message?.acknowledge()
  expect(rowsOf(sent())).toEqual([['a', 'default', 2, 2]])
})

test('a window that always changes does not keep others from being sent', () => {
  const { count, sent } = startWindows(1000)
  for (let index = 0; index < 300; index += 1) count(`pool-${index}`)
  expect(sent()).toHaveLength(200)
  for (let index = 0; index < 200; index += 1) count(`pool-${index}`)
  expect(rowsOf(sent())).toContainEqual(['pool-299', 'default', 2, 1])
})

test('a past hour is held until it is acknowledged', () => {
  const { state, windows, count, sent } = startWindows()
  count('a')
  state.now += 3600
  count('a')
  expect(windows.size).toBe(2)
  expect(rowsOf(sent())).toEqual([
    ['a', 'default', 2, 1],
    ['a', 'default', 3, 1],
  ])
  expect(windows.size).toBe(1)
  state.now += 3600
  expect(sent()).toEqual([])
  expect(windows.size).toBe(0)
})

test('a clock that is set back does not begin an hour twice', () => {
  const { state, count, sent } = startWindows()
  count('a')
  sent()
  state.now += 3600
  count('a')
  sent()
  state.now -= 3600
  count('a')
  expect(rowsOf(sent())).toEqual([['a', 'default', 3, 2]])
})

test('without room the oldest hours go first, and an hour that runs takes no more', () => {
  const { state, windows, count, sent } = startWindows(2)
  count('a')
  count('b')
  count('c')
  expect([windows.size, state.dropped]).toEqual([2, 1])
  state.now += 3600
  count('c')
  expect([windows.size, state.dropped]).toEqual([2, 2])
  expect(rowsOf(sent())).toEqual([
    ['b', 'default', 2, 1],
    ['c', 'default', 3, 1],
  ])
})

test('classes beyond the most are counted together, anew each hour', () => {
  const { state, count, sent } = startWindows()
  for (let index = 0; index < MOST_CLASSES + 3; index += 1) count('a', `class-${index}`)
  count('b', 'class-17')
  const all = rowsOf(sent())
  expect(all).toHaveLength(MOST_CLASSES + 2)
  expect(all.filter(([, own]) => own === 'other')).toEqual([
    ['a', 'other', 2, 3],
    ['b', 'other', 2, 1],
  ])
  state.now += 3600
  count('a', 'class-17')
  expect(rowsOf(sent())).toEqual([['a', 'class-17', 3, 1]])
})

test('a message is bounded; the rest is in the next one', () => {
  const { count, sent } = startWindows(1000)
  for (let index = 0; index < 450; index += 1) count(`pool-${index}`)
  expect([sent().length, sent().length, sent().length, sent().length]).toEqual([200, 200, 50, 0])
})
