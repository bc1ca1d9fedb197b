/** Work on many, so many at a time. The first failure ends it, after what was begun has ended. */
export async function eachAtOnce<Item>(items: readonly Item[], atOnce: number, work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = items.values()
  let isStopped = false
  const worker = async (): Promise<void> => {
    for (const item of waiting) {
      if (isStopped) return
      try {
        await work(item)
      } catch (cause) {
        isStopped = true
        throw cause
      }
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  const failed = ended.find((each) => each.status === 'rejected')
  if (failed) throw failed.reason
}
