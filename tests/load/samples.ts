// Measured times, and what is said of them.

export type Samples = { readonly times_ms: readonly number[]; readonly failed: number }

/** At a pace for a time, whatever the answers take: a time counts from when its request was due, so that waiting for a slow one is not left out. */
export async function runPaced(options: {
  readonly perSecond: number
  readonly seconds: number
  readonly lanes: number
  readonly ask: (number: number) => Promise<boolean>
}): Promise<Samples> {
  const { perSecond, seconds, lanes, ask } = options
  const times_ms: number[] = []
  let failed = 0
  let sent = 0
  const began = performance.now()
  const lane = async (): Promise<void> => {
    for (;;) {
      const number = sent
      sent += 1
      if (number >= perSecond * seconds || performance.now() - began > 1000 * seconds) return
      const due = began + (1000 * number) / perSecond
      const wait_ms = due - performance.now()
      if (wait_ms > 1) await new Promise((resolve) => setTimeout(resolve, wait_ms))
      if (!(await ask(number))) failed += 1
      times_ms.push(performance.now() - due)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return { times_ms, failed }
}
