import { expect, test } from 'vitest'
import { movedWindow, zoomedWindow } from './gantt-window.ts'

const WHOLE = { from: 0, to: 100 }

test('what lies under the pointer stays under it', () => {
  const { from, to } = zoomedWindow(WHOLE, { span: 100, factor: 0.5, at: 0.25 })
  expect(from + 0.25 * (to - from)).toBeCloseTo(25)
})

test('neither zoom nor move leaves the whole', () => {
  expect(zoomedWindow({ from: 10, to: 20 }, { span: 100, factor: 100, at: 0.5 })).toEqual(WHOLE)
  expect(movedWindow({ from: 80, to: 100 }, 100, 0.5)).toEqual({ from: 80, to: 100 })
  expect(movedWindow({ from: 10, to: 20 }, 100, -5)).toEqual({ from: 0, to: 10 })
})
