// The reconciler as a process runs it: a round, then a rest, or at once when woken. A round that fails as a whole (the database is
// away) is tried again after a rest. One that does not end is reported, and in the end the process is given up: a supervisor starts another.

import { underRightClock } from './clock-guard.ts'
import { reasonOf } from './look.ts'
import type { ReconcilePorts } from './ports.ts'
import { type Round, reconcileRuns } from './reconcile-runs.ts'

export type Reconciler = { readonly wake: () => void; readonly stop: () => Promise<void> }

const REST_MS = 200

/**
 * Statements and storage calls time out after half a minute, executor commands after a minute; a round of hundreds of runs that each wait
 * for one is slow, not stuck. A round that takes a quarter of an hour hangs for an unknown reason, and no run is reconciled meanwhile.
 */
const LATE_MS = 60_000
const STUCK_MS = 15 * 60_000

type Watchdog = { readonly late_ms: number; readonly stuck_ms: number; readonly giveUp: (problem: string) => void }

export const WATCHDOG: Watchdog = { late_ms: LATE_MS, stuck_ms: STUCK_MS, giveUp: () => undefined }

type ReportProblem = (problem: string) => void

export const startReconciler = (ports: ReconcilePorts, told: ReportProblem, watchdog?: Watchdog): Reconciler =>
  startRounds(
    underRightClock({ ...ports, told }, () => reconcileRuns(ports)),
    told,
    watchdog,
  )

export function startRounds(round: () => Promise<Round>, told: ReportProblem, watchdog = WATCHDOG): Reconciler {
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
      const { leased, failed } = await tryRound()
      for (const { run, reason } of failed) told(`${run}: ${reason}`)
      if (!woken && (leased === 0 || failed.length === leased)) await rest()
    }
  }

  async function tryRound(): Promise<Round> {
    const watch = startWatchdog(told, watchdog)
    try {
      return await round()
    } catch (cause) {
      told(`a round failed: ${reasonOf(cause)}`)
      return { leased: 0, failed: [] }
    } finally {
      clearInterval(watch)
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

function startWatchdog(told: ReportProblem, { late_ms, stuck_ms, giveUp }: Watchdog): NodeJS.Timeout {
  const began = performance.now()
  const timer = setInterval(() => {
    const passed_ms = performance.now() - began
    const problem = `a round has not ended for ${Math.round(passed_ms / 1000)} s; no run is looked after meanwhile`
    if (passed_ms < stuck_ms) told(problem)
    else giveUp(problem)
  }, late_ms)
  return timer.unref()
}
