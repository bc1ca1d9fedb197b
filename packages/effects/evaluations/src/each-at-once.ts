type Work<Item> = {
  readonly items: readonly Item[]
  readonly atOnce: number
  readonly work: (item: Item) => Promise<void>
  /** Nothing is begun any more once it is true. */
  readonly isEnough?: () => boolean
}

/** Work on many, so many at a time. The first failure ends it, after what was begun has ended. */
export async function eachAtOnce<Item>({ items, atOnce, work, isEnough = () => false }: Work<Item>): Promise<void> {
  const waiting = items.values()
  let isStopped = false
  const worker = async (): Promise<void> => {
    for (const item of waiting) {
      if (isStopped || isEnough()) return
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
