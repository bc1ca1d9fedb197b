// Follows a stream of events while a page is open: reconnects whenever it ends, and delivers events in bursts.

import type { EventView } from '@ironlaw/contracts/api'

/** Events come in bursts; one refresh serves them all. */
const BURST_MS = 250
/** Delay before reconnecting. */
const RECONNECT_MS = 2000

export type FollowOptions = {
  /** Resolves when the connection has ended. */
  readonly watch: (signal: AbortSignal, onEvent: (event: EventView) => void) => Promise<void>
  /** A stream begins with all past events, so earlier ones are delivered again. */
  readonly onBegin: () => void
  /** In the order in which they happened. */
  readonly onBurst: (events: readonly EventView[]) => void
  readonly again_ms?: number
}

/** Returns a function that stops it. */
export function followEvents({ watch, onBegin, onBurst, again_ms = RECONNECT_MS }: FollowOptions): () => void {
  const over = new AbortController()
  let burst: EventView[] = []
  let telling: ReturnType<typeof setTimeout> | undefined
  let beginning: ReturnType<typeof setTimeout> | undefined
  const flushBurst = (): void => {
    telling = undefined
    onBurst(burst)
    burst = []
  }
  const follow = async (): Promise<void> => {
    burst = []
    onBegin()
    await watch(over.signal, (event) => {
      burst.push(event)
      telling ??= setTimeout(flushBurst, BURST_MS)
    })
    if (!over.signal.aborted) beginning = setTimeout(() => void follow(), again_ms)
  }
  void follow()
  return () => {
    over.abort()
    clearTimeout(telling)
    clearTimeout(beginning)
  }
}
