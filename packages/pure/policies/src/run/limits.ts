// How patient the control plane is. Each limit says what it trades.

export type RunLimits = {
  /** A node's agent without a report for this long is silent; agents report every second. */
  readonly silence_s: number
  /** No step for the time of this many predicted steps is a hang, when nothing better is known. */
  readonly hangSteps: number
  /** Below this no pause is called a hang, however short the steps: evaluation, garbage collection and slow disks take seconds. */
  readonly hangFloor_s: number
  /** A member of an allocation without a report for this long, while others report, is replaced. It is no suspect: no failure was seen. */
  readonly agentSilence_s: number
  /**
   * After an attempt its agents report within a fraction of a second that they have ended it. One that does not for this long, while others
   * do, is replaced, by a spare or by a request; should it come back, the request is withdrawn.
   */
  readonly return_s: number
  /**
   * An attempt that holds nodes and waits this long for more gives all of them back and requests them together. Longer, idle nodes cost
   * more than a new place in the queue, and two runs of which each waits for what the other holds would wait for ever.
   */
  readonly gather_s: number
  /** From the order to start until the first report of an attempt; agents wait for orders, so only their start-up is in here. */
  readonly firstReport_s: number
  /** From the start of a check until every node has sent its reading: imports, rendezvous, seconds of measuring. */
  readonly check_s: number
  /** From the job's start to its first step: imports, rendezvous, loading a checkpoint. */
  readonly start_s: number
  /** A program that has not joined through the SDK by then is assumed never to join: imports take seconds, on slow storage a minute. */
  readonly join_s: number
  /** A checkpoint phase that lasts longer is a hang. */
  readonly checkpoint_s: number
  /** How long an executor may keep saying "ended" while ranks still report, before they are orphans to be fenced off. */
  readonly orphan_s: number
  /** Attempts in a row that got no further than an earlier one and were not ended by the loss of a node. */
  readonly attemptsWithoutProgress: number
  /** The same for those that a lost node ended: on a large fleet that is mere bad luck, until it is the program that kills nodes. */
  readonly nodesLostWithoutProgress: number
  /** First wait before such an attempt is followed by another; doubles. */
  readonly backoff_s: number
  readonly backoffCap_s: number
  /** So many runs that fail alike within the window below, and such a share of the active ones, are an outage; fewer are chance. */
  readonly outageRuns: number
  readonly outageShare: number
  /** Longer than the wait between two attempts in an outage and their start, so that it stays in sight while it lasts. */
  readonly outageWindow_s: number
  /** Longest wait between attempts in an outage: so late a run notices that it is over. */
  readonly outageBackoffCap_s: number
  /** After this long in one outage failures count again: an operator has to look. */
  readonly outageFor_s: number
}

export const DEFAULT_LIMITS: RunLimits = {
  silence_s: 3,
  hangSteps: 10,
  hangFloor_s: 30,
  agentSilence_s: 60,
  return_s: 2,
  gather_s: 600,
  firstReport_s: 60,
  check_s: 120,
  start_s: 900,
  join_s: 60,
  checkpoint_s: 900,
  orphan_s: 15,
  attemptsWithoutProgress: 3,
  nodesLostWithoutProgress: 10,
  backoff_s: 2,
  backoffCap_s: 300,
  outageRuns: 3,
  outageShare: 0.25,
  outageWindow_s: 300,
  outageBackoffCap_s: 60,
  outageFor_s: 6 * 3600,
}
