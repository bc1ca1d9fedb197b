// A stream of events that is followed for as long as a page is open: begun again after every end, and told in bursts.

import type { EventView } from '@ironlaw/contracts/api'

/** Events come in bursts; one reading serves them all. */
const BURST_MS = 250
/** After a stream has ended. */
const RECONNECT_MS = 2000

export type FollowOptions = {
  /** Resolves when the connection ended. */
  readonly watch: (signal: AbortSignal, onEvent: (event: EventView) => void) => Promise<void>
  /** A stream begins with all that happened so far: what was shown before is told again. */
  readonly onBegin: () => void
  /** In the order in which they happened. */
  readonly onBurst: (events: readonly EventView[]) => void
  readonly again_ms?: number
}

/** Answers how to stop. */
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
