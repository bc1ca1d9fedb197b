// Results in the order of their items, while a bounded number of the next ones are under way.

export async function* mapAhead<T, R>(
  items: AsyncIterable<T> | Iterable<T>,
  ahead: number,
  map: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const under: Promise<R>[] = []
  try {
    for await (const item of items) {
      const result = map(item)
      result.catch(() => {
        // It is thrown when its turn comes; unhandled until then, it would end the process.
      })
      under.push(result)
      if (under.length >= ahead) yield await first(under)
    }
    while (under.length > 0) yield await first(under)
  } finally {
    // Where one failed, or the caller stopped, what became of the others no longer matters; they only must not go on unseen.
    await Promise.allSettled(under)
  }
}

function first<R>(under: Promise<R>[]): Promise<R> {
  const next = under.shift()
  if (next === undefined) throw new Error('nothing is under way')
  return next
}
