import { expect, test } from 'vitest'
import { chosenRange, FULL_AREA, FULL_RANGE, movedArea, movedRange, visibleDomain, zoomedArea, zoomedRange } from './window.ts'

test('zooming in and out about a point returns to the start', () => {
  const near = zoomedRange(FULL_RANGE, 0.5, 0.25)
  expect(near).toEqual([0.125, 0.625])
  expect(zoomedRange(near, 8, 0.5)).toEqual([0, 1])
})

test('what lies under the pointer stays under it, and a zoom ends at the whole', () => {
  const [from, to] = zoomedRange([0.2, 0.6], 0.5, 0.25)
  expect(from + 0.25 * (to - from)).toBeCloseTo(0.3)
  expect(zoomedRange([0.1, 0.2], 100, 0.5)).toBe(FULL_RANGE)
})

test('moving stops at the ends', () => {
  expect(movedRange([0.2, 0.4], 5)).toEqual([0.8, 1])
  expect(movedRange([0.2, 0.4], -5)).toEqual([0, 0.2])
})

test('a chosen part is one of what is seen, whichever way it was drawn', () => {
  const [from, to] = chosenRange([0.5, 1], [0.8, 0.2])
  expect(from).toBeCloseTo(0.6)
  expect(to).toBeCloseTo(0.9)
})

test.each([
  ['linear', [0, 10], [0, 5]],
  ['log', [1, 100], [1, 10]],
] as const)('the left half of a %s axis', (kind, domain, half) => {
  expect(visibleDomain(domain, kind, [0, 0.5])).toEqual(half)
})

test('a picture is zoomed along both axes', () => {
  expect(zoomedArea(FULL_AREA, 0.5, [0, 1])).toEqual({ x: [0, 0.5], y: [0.5, 1] })
  expect(movedArea({ x: [0, 0.5], y: [0.5, 1] }, [0.5, 0.5])).toEqual({ x: [0.25, 0.75], y: [0.5, 1] })
})
