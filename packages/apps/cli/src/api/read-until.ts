// Reads what the control plane shows again and again until it is over. A wait of hours outlives a restart of the control plane.

import { setTimeout as pause } from 'node:timers/promises'
import { isAway } from './api-client.ts'

const RENEW_MS = 500
const AWAY_MS = 2000

type Reading<Value> = {
  readonly read: () => Promise<Value>
  /** Called with each value but the last. */
  readonly show: (value: Value) => void
  readonly isOver: (value: Value) => boolean
}

/** The first reading must succeed: a wrong address is an error, not something to wait for. */
export async function readUntil<Value>({ read, show, isOver }: Reading<Value>): Promise<Value> {
  let value = await read()
  while (!isOver(value)) {
    show(value)
    await pause(RENEW_MS)
    value = await readWhenReachable(read)
  }
  return value
}

/** However long that takes; the first failure is announced. */
export async function readWhenReachable<Value>(read: () => Promise<Value>): Promise<Value> {
  for (let isAnnounced = false; ; isAnnounced = true) {
    try {
      return await read()
    } catch (cause) {
      if (!isAway(cause)) throw cause
      if (!isAnnounced) process.stderr.write(`${cause.message}; still waiting\n`)
    }
    await pause(AWAY_MS)
  }
}
