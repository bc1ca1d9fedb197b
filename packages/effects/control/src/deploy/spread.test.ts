import { expect, test } from 'vitest'
import type { NodeSighting } from '@ironlaw/contracts'
import { excludedNodes } from './spread.ts'

const rooms = (...free: number[]): NodeSighting[] =>
  free.map((slots, index) => ({ name: `n${index + 1}`, state: slots === 8 ? 'idle' : 'busy', slots: 8, free: slots }))

test('those that start together get nodes of their own, away from those that host others', () => {
  const nodes = rooms(8, 8, 8, 8, 1)
  expect(excludedNodes(nodes, { hosts: [], starts: 2, slots: 2 })).toEqual([
    ['n2', 'n4', 'n5'],
    ['n1', 'n3', 'n5'],
  ])
  expect(excludedNodes(nodes, { hosts: ['n1', 'n2', 'n3'], starts: 1, slots: 2 })).toEqual([['n1', 'n2', 'n3', 'n5']])
})

test('without room elsewhere, anywhere', () => {
  expect(excludedNodes(rooms(8, 8), { hosts: ['n1', 'n2'], starts: 1, slots: 2 })).toEqual([[]])
  expect(excludedNodes(rooms(8), { hosts: [], starts: 2, slots: 2 })).toEqual([[], []])
})
