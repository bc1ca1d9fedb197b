import type { EventView } from '@ironlaw/contracts/api'
import { expect, test } from 'vitest'
import { followEvents } from './follow-events.ts'

const event = (cursor: string): EventView => ({
  cursor,
  stream: 's',
  sequence: 1,
  at: 1,
  kind: 'k',
  actor: 'a',

  body: {},
  hash: 'h',
})

test('events are delivered again after every end of the stream', async () => {
  const told: string[][] = []
  const enough = Promise.withResolvers<void>()
  let begun = 0
  const stop = followEvents({
    again_ms: 1,
    watch: async (_signal, onEvent) => {
      begun += 1
      // The second one ends before it says anything.
      if (begun !== 2) onEvent(event(`c${begun}`))
      if (begun > 2) await new Promise(() => undefined)
      // Longer than a burst waits.
      if (begun === 1) await new Promise((resolve) => setTimeout(resolve, 300))
    },
    onBegin: () => undefined,
    onBurst: (events) => {
      told.push(events.map(({ cursor }) => cursor))
      if (told.length === 2) enough.resolve()
    },
  })
  await enough.promise
  stop()
  expect(told).toEqual([['c1'], ['c3']])
})

test('nothing is delivered after the page has closed', async () => {
  const over = Promise.withResolvers<AbortSignal>()
  const told: unknown[] = []
  const stop = followEvents({
    watch: async (signal, onEvent) => {
      onEvent(event('c'))
      over.resolve(signal)
    },
    onBegin: () => undefined,
    onBurst: (events) => told.push(events),
  })
  const signal = await over.promise
  stop()
  expect(signal.aborted).toBe(true)
  expect(told).toEqual([])
})
