// A trace of requests, one column per property.

export type Trace = {
  readonly count: number
  /** Seconds from the first request, never falling. */
  readonly at_s: Float64Array
  readonly prompt: Int32Array
  readonly output: Int32Array
  /** Numbers of `tenants`. */
  readonly tenant: Int32Array
  readonly tenants: readonly string[]
  /** Prefix hashes of all requests, numbered from 0 and apart for each tenant, as gateways salt them; those of request i lie from hashFirst[i] up to hashFirst[i + 1]. */
  readonly hashes: Int32Array
  readonly hashFirst: Int32Array
  /** Tokens that one hash covers; 0 when there are none. */
  readonly hashTokens: number
}

/** One request as a format gives it. */
export type TraceRow = {
  readonly at_s: number
  readonly prompt: number
  readonly output: number
  readonly tenant?: string
  readonly hashes?: readonly (number | string)[]
}

/** Rows in any order into columns by time; requests without a prompt or an answer are left out, as nothing was served. */
export function traceOf(rows: readonly TraceRow[], hashTokens = 0): Trace {
  const kept = rows.filter(({ prompt, output }) => prompt > 0 && output > 0).toSorted((a, b) => a.at_s - b.at_s)
  const start = kept[0]?.at_s ?? 0
  const tenants = new Map<string, number>()
  const numbers = new Map<string, number>()
  const numberOf = <T>(of: Map<T, number>, key: T): number => {
    const known = of.get(key)
    if (known !== undefined) return known
    of.set(key, of.size)
    return of.size - 1
  }
  const hashFirst = new Int32Array(kept.length + 1)
  const hashes: number[] = []
  kept.forEach((row, index) => {
    for (const hash of row.hashes ?? []) hashes.push(numberOf(numbers, `${row.tenant ?? ''}\n${hash}`))
    hashFirst[index + 1] = hashes.length
  })
  return {
    count: kept.length,
    at_s: Float64Array.from(kept, ({ at_s }) => at_s - start),
    prompt: Int32Array.from(kept, ({ prompt }) => prompt),
    output: Int32Array.from(kept, ({ output }) => output),
    tenant: Int32Array.from(kept, ({ tenant = '' }) => numberOf(tenants, tenant)),
    tenants: [...tenants.keys()],
    hashes: Int32Array.from(hashes),
    hashFirst,
    hashTokens,
  }
}
