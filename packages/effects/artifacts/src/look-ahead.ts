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
      // Its turn to be awaited comes later; a failure before that must not end the process.
      result.catch(() => undefined)
      under.push(result)
      if (under.length >= ahead) yield await first(under)
    }
    while (under.length > 0) yield await first(under)
  } finally {
    await Promise.allSettled(under)
  }
}

function first<R>(under: Promise<R>[]): Promise<R> {
  const next = under.shift()
  if (next === undefined) throw new Error('nothing is under way')
  return next
}
