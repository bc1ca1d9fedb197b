import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { EventQueue } from './event-queue.ts'

function drain(queue: EventQueue): number[][] {
  const taken: number[][] = []
  while (queue.take()) taken.push([queue.time, queue.kind, queue.entity, queue.tag])
  return taken
}

describe('event queue', () => {
  property.prop([fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 400 })])('gives events by time, equal times as pushed', (times) => {
    const queue = new EventQueue()
    times.forEach((time, index) => queue.push(time, index % 7, { entity: index, tag: index + 1 }))
    const expected = times.map((time, index) => [time, index % 7, index, index + 1]).toSorted((a, b) => a[0]! - b[0]! || a[2]! - b[2]!)
    expect(drain(queue)).toEqual(expected)
  })

  property.prop([fc.array(fc.option(fc.integer({ min: 0, max: 50 }), { nil: undefined }), { maxLength: 600 })])(
    'keeps its order when events come and go',
    (steps) => {
      const queue = new EventQueue()
      const model: { time: number; entity: number }[] = []
      steps.forEach((step, entity) => {
        if (step === undefined) {
          const first = model.toSorted((a, b) => a.time - b.time || a.entity - b.entity)[0]
          expect(queue.take()).toBe(first !== undefined)
          if (first) {
            expect([queue.time, queue.entity]).toEqual([first.time, first.entity])
            model.splice(model.indexOf(first), 1)
          }
        } else {
          queue.push(step, 0, { entity, tag: 0 })
          model.push({ time: step, entity })
        }
      })
      expect(queue.size).toBe(model.length)
    },
  )

  test('is empty after clear', () => {
    const queue = new EventQueue()
    queue.push(1, 0, { entity: 0, tag: 0 })
    queue.clear()
    expect(queue.take()).toBe(false)
  })
})
