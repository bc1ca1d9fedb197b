// What must hold in the event log of one run, whatever happened to it. The log is replayed: at most one attempt lives at a time, its
// number only rises, nothing is told of an earlier one, and an end is the end.

export type LoggedEvent = { readonly kind: string; readonly body: Readonly<Record<string, unknown>> }

const ENDS: ReadonlySet<string> = new Set(['run-succeeded', 'run-failed', 'run-cancelled'])
const ONCE: ReadonlySet<string> = new Set(['attempt-created', 'attempt-started', 'attempt-abandoned', 'nodes-checked'])
const isOfAgent = (kind: string): boolean => kind === 'rank-exited' || kind.startsWith('agent-')

/** Sentences that say what is broken; none when all is well. */
export function logFaults(events: readonly LoggedEvent[]): string[] {
  const faults: string[] = []
  const done = new Set<string>()
  let attempt = 0
  let isLive = false
  let end: string | undefined
  for (const { kind, body } of events) {
    const told = Number(body['attempt'] ?? attempt)
    const where = `${kind} of attempt ${told}`
    const must = (holds: boolean, otherwise: string): unknown => holds || faults.push(`${where}: ${otherwise}`)
    must(end === undefined || isOfAgent(kind), `behind ${end}`)
    if (ENDS.has(kind)) end = kind
    if (ONCE.has(kind)) must(!done.has(where), 'a second time')
    done.add(where)
    if (kind === 'attempt-created') {
      must(told === attempt + 1, `behind attempt ${attempt}`)
      must(!isLive, `while attempt ${attempt} lives`)
      attempt = told
      isLive = true
    } else {
      must(told === attempt, `while attempt ${attempt} is the current one`)
      if (ONCE.has(kind)) must(isLive, 'after it was given up')
      if (kind === 'attempt-abandoned' || kind === 'nodes-checked') isLive = false
    }
  }
  if (events[0]?.kind !== 'run-created') faults.push('the log does not begin with the run')
  return faults
}
