// Everything that is done over and over: a round, then a rest, or at once when woken. A round that fails as a whole (the database is away) is
// tried again after a rest. One that does not end is reported, and in the end the process is given up: a supervisor starts another.

import { setImmediate } from 'node:timers/promises'

export type Rounds = { readonly wake: () => void; readonly stop: () => Promise<void> }

/** What a round had to do, and what of it failed. */
export type Round = { readonly due: number; readonly failed: readonly RoundFailure[] }

type RoundFailure = { readonly what: string; readonly reason: string }

export const NOTHING_DUE: Round = { due: 0, failed: [] }

/**
 * Statements and storage calls time out after half a minute, executor commands after a minute; a round of hundreds of items that each wait
 * for one is slow, not stuck. A round that takes a quarter of an hour hangs for an unknown reason, and nothing is looked after meanwhile.
 */
const LATE_MS = 60_000
const STUCK_MS = 15 * 60_000

type RoundOptions = {
  readonly rest_ms?: number
  readonly late_ms?: number
  readonly stuck_ms?: number
  /** A round hangs, and only a new process helps. */
  readonly giveUp?: (problem: string) => void
}

export function startRounds(
  round: () => Promise<Round>,
  report: (problem: string) => void,
  { rest_ms = 200, late_ms = LATE_MS, stuck_ms = STUCK_MS, giveUp = report }: RoundOptions = {},
): Rounds {
  const stopping = new AbortController()
  let isWoken = false
  let interrupt: () => void = () => undefined
  const done = rounds()
  return {
    wake: () => {
      isWoken = true
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
      isWoken = false
      const { due, failed } = await tryRound()
      for (const { what, reason } of failed) report(`${what}: ${reason}`)
      if (!isWoken && failed.length === due && !stopping.signal.aborted) await rest()
    }
  }

  async function tryRound(): Promise<Round> {
    const watchdog = startWatchdog()
    try {
      return await round()
    } catch (cause) {
      report(`a round failed: ${reasonOf(cause)}`)
      return NOTHING_DUE
    } finally {
      clearInterval(watchdog)
    }
  }

  async function rest(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, rest_ms)
    interrupt = resolve
    await promise
    clearTimeout(timer)
  }

  function startWatchdog(): NodeJS.Timeout {
    const began = performance.now()
    const timer = setInterval(() => {
      const passed_ms = performance.now() - began
      const problem = `a round has not ended for ${Math.round(passed_ms / 1000)} s; nothing is looked after meanwhile`
      if (passed_ms < stuck_ms) report(problem)
      else giveUp(problem)
    }, late_ms)
    return timer.unref()
  }
}

/** Enough for a round that waits for the executor; after that another process takes over. */
export const LEASE_S = 30
/** From a failure to the next look. */
export const RETRY_S = 1

/** How many items are worked on before other work gets its turn: most need no effect, and a process has one thread. */
const TURN = 8

type ItemWork<Item> = {
  readonly name: (item: Item) => string
  readonly work: (item: Item) => Promise<void>
  /** After a failure (the executor or the disk was unavailable): the retry is a later round. */
  readonly postpone: (item: Item) => Promise<void> | void
}

/** One after another, or all at once where each mostly waits. One item's failure does not stop the round. */
export async function workThrough<Item>(
  items: readonly Item[],
  { name, work, postpone }: ItemWork<Item>,
  { atOnce = false }: { readonly atOnce?: boolean } = {},
): Promise<Round> {
  const failed: RoundFailure[] = []
  const tryItem = async (item: Item): Promise<void> => {
    try {
      await work(item)
    } catch (cause) {
      failed.push({ what: name(item), reason: reasonOf(cause) })
      await postpone(item)
    }
  }
  if (atOnce) await Promise.all(items.map(tryItem))
  else
    for (const [index, item] of items.entries()) {
      if (index % TURN === TURN - 1) await setImmediate()
      await tryItem(item)
    }
  return { due: items.length, failed }
}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
