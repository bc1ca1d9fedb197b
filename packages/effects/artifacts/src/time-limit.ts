// A file system whose server is gone blocks forever; what waits for it must not.

export async function withinTime<T>(work: Promise<T>, limit_ms: number, late: () => Error): Promise<T> {
  const { promise: limit, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(late()), limit_ms)
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}
