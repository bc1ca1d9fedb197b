// Batches concurrent calls: those that arrive while others are in progress go together in the next batch, so an idle API queries the
// database at once, a busy one once for many calls. A failed batch is repeated call by call, so that only the call at fault fails.

/** Concurrent batches: while one waits for a lock, the next does not wait behind it. */
const LANES = 2

export function batchCalls<Item, Answer>(
  most: number,
  work: (items: readonly Item[]) => Promise<readonly Answer[]>,
): (item: Item) => Promise<Answer> {
  type Waiting = { readonly item: Item; readonly settle: (answer: Promise<Answer>) => void }
  const waiting: Waiting[] = []
  let busy = 0

  async function runLane(): Promise<void> {
    busy += 1
    for (let calls = waiting.splice(0, most); calls.length > 0; calls = waiting.splice(0, most)) {
      const items = calls.map(({ item }) => item)
      try {
        const answers = await work(items)
        calls.forEach(({ settle }, index) => settle(onlyAnswer(answers.slice(index, index + 1))))
      } catch (cause) {
        for (const { item, settle } of calls) settle(calls.length > 1 ? work([item]).then(onlyAnswer) : Promise.reject(cause))
      }
    }
    busy -= 1
  }

  return (item) => {
    const { promise, resolve } = Promise.withResolvers<Answer>()
    waiting.push({ item, settle: resolve })
    if (busy < LANES) void runLane()
    return promise
  }
}

async function onlyAnswer<Answer>([answer]: readonly Answer[]): Promise<Answer> {
  if (answer === undefined) throw new Error('a batch was answered with fewer answers than it had calls')
  return answer
}
