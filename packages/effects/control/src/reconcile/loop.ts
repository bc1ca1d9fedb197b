// The reconciler as a process runs it: a round, then a rest, or at once when woken. A round that fails as a whole (the database is
// away) is tried again after a rest.

import { reasonOf } from './look.ts'
import type { Ports } from './ports.ts'
import { type Round, reconcileRuns } from './reconcile-runs.ts'

export type Reconciler = { readonly wake: () => void; readonly stop: () => Promise<void> }

const REST_MS = 200

type Told = (problem: string) => void

export const startReconciler = (ports: Ports, told: Told): Reconciler => startRounds(() => reconcileRuns(ports), told)

export function startRounds(round: () => Promise<Round>, told: Told): Reconciler {
  const stopping = new AbortController()
  let woken = false
  let interrupt: () => void = () => undefined
  const done = rounds()
  return {
    wake: () => {
      woken = true
      interrupt()
    },
    stop: async () => {
      stopping.abort()
      interrupt()
      await done
    },
  }

  async function rounds(): Promise<void> {
    while (!stopping.signal.aborted) {
      woken = false
      const { leased, failed } = await attempted()
      for (const { run, reason } of failed) told(`${run}: ${reason}`)
      if (!woken && (leased === 0 || failed.length === leased)) await rest()
    }
  }

  async function attempted(): Promise<Round> {
    try {
      return await round()
    } catch (cause) {
      told(`a round failed: ${reasonOf(cause)}`)
      return { leased: 0, failed: [] }
    }
  }

  async function rest(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, REST_MS)
    interrupt = resolve
    await promise
    clearTimeout(timer)
  }
}
