/** Why an attempt was given up, or a run ended: a closed list, each with advice for the user in `NEXT_STEP`. */
export const END_REASONS = [
  'completed',
  'cancelled',
  'preempted',
  'checked',
  'slow-node',
  'rank-died',
  'node-lost',
  'job-ended',
  'job-vanished',
  'hang',
  'straggler',
  'bad-loss',
  'refused',
  'cannot-start',
  'cannot-succeed',
  'time-limit',
  'start-timeout',
  'no-progress',
] as const

export type EndReason = (typeof END_REASONS)[number]

export const NEXT_STEP: Readonly<Record<EndReason, string>> = {
  completed: 'nothing to do',
  cancelled: 'nothing to do',
  preempted: 'it continues from its last checkpoint when there is room',
  checked: 'nothing to do',
  'slow-node': 'test the node that was slow before returning it to service: ironlaw get nodes',
  'rank-died': 'read the last lines of the rank that died first: ironlaw logs RUN --rank N',
  'node-lost': 'look at the node before returning it to service',
  'job-ended': 'read the log of the attempt: ironlaw logs RUN',
  'job-vanished': 'ask the administrator who cancelled or purged the job',
  hang: 'read where the ranks stood: ironlaw describe RUN',
  straggler: 'test the node that was slow before returning it to service',
  'bad-loss': 'look at the data around that step, or lower the learning rate',
  refused: 'correct what the cluster refused and apply again',
  'cannot-start': 'correct the program, or the directory it starts in, and apply again',
  'cannot-succeed': 'correct what the program names and apply again: it would fail the same way every time',
  'time-limit': 'raise timeLimit, or divide the work, and apply again',
  'start-timeout': 'read the log of the agents: the program did not reach its first step',
  'no-progress': 'read the last attempts: ironlaw describe RUN; each failed before it got further',
}
