// One result for all callers at about the same time: computing it costs a process or a query, and it does not change by the millisecond.

export function sharedFor<Result>(milliseconds: number, work: () => Promise<Result>): () => Promise<Result> {
  let last: { readonly at: number; readonly result: Promise<Result> } | undefined
  return () => {
    const now = performance.now()
    if (last && now - last.at < milliseconds) return last.result
    const result = work()
    last = { at: now, result }
    // Who comes after a failure tries again.
    void result.catch(() => (last = undefined))
    return result
  }
}
