// What the kernel costs: the hold model (D. W. Jones, An empirical comparison of priority-queue and event-set implementations, CACM
// 29(4), 1986). Each event taken puts one back, at a random later time.

import { EventQueue } from './event-queue.ts'
import { RandomStream } from './random-stream.ts'

/** Runs `events` events with `pending` of them waiting and gives the last time, so that nothing can be dropped. */
export function holdModel(events: number, pending: number): number {
  const queue = new EventQueue()
  const random = new RandomStream([1])
  for (let entity = 0; entity < pending; entity += 1) queue.push(random.uniform(), 0, { entity, tag: 0 })
  for (let event = 0; event < events && queue.take(); event += 1)
    queue.push(queue.time + random.uniform(), 0, { entity: queue.entity, tag: 0 })
  return queue.time
}
