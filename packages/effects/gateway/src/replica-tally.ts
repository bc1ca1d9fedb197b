// What one replica did since the gateway began, in totals that only rise: the control plane takes differences.

type Sums = { count: number; log_sum: number }

export type ReplicaTally = {
  answers: number
  errors: number
  tokens: number
  readonly ttft: Sums
  readonly tpot: Sums
  /** On the gateway's own clock. */
  heardAt: number | undefined
}

export const newTally = (): ReplicaTally => ({
  answers: 0,
  errors: 0,
  tokens: 0,
  ttft: { count: 0, log_sum: 0 },
  tpot: { count: 0, log_sum: 0 },
  heardAt: undefined,
})

/** Times on the gateway's clock; `completion` tokens of `tokens` were generated. */
export type Answered = {
  readonly sentAt: number
  readonly firstByteAt: number
  readonly endedAt: number
  readonly tokens: number
  readonly completion: number
}

/** Shorter than any answer, and still a number with a logarithm. */
const LEAST_S = 1e-6

export function tallyAnswer(tally: ReplicaTally, { sentAt, firstByteAt, endedAt, tokens, completion }: Answered): void {
  tally.answers += 1
  tally.tokens += tokens
  tally.heardAt = endedAt
  add(tally.ttft, firstByteAt - sentAt)
  if (completion > 1) add(tally.tpot, (endedAt - firstByteAt) / (completion - 1))
}

function add(sums: Sums, seconds: number): void {
  sums.count += 1
  sums.log_sum += Math.log(Math.max(LEAST_S, seconds))
}
