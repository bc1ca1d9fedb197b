// What slurmrestd answers, of version 0.0.38: jobs, nodes, complaints.

import { answerOf } from '../../../packages/effects/executors/src/slurm-rest/api.ts'
import { jobOf, jobsOf, sightingContext } from '../../../packages/effects/executors/src/slurm-rest/shown-job.ts'
import { nodeOf } from '../../../packages/effects/executors/src/slurm-rest/shown-node.ts'
import { sightingOf } from '../../../packages/effects/executors/src/slurm/job-list.ts'
import type { Target } from '../target.ts'

const job = {
  job_id: 7,
  name: 'il-k',
  comment: 'k',
  user_name: 'u',
  job_state: 'RUNNING',
  state_reason: 'None',
  nodes: 'n[1-2]',
  start_time: 5,
  exit_code: 0,
  priority: 1,
}
const node = { name: 'n1', state: 'idle', state_flags: ['DRAIN'], partitions: ['p'], cpus: 8, idle_cpus: 4, reason: '' }

export const target: Target = {
  grammar: 'json',
  seeds: [
    JSON.stringify({ errors: [], jobs: [job, { ...job, job_id: 8, job_state: 'PENDING' }] }),
    JSON.stringify({ errors: [], nodes: [node, { ...node, state_flags: ['NOT_RESPONDING'] }] }),
    JSON.stringify({
      errors: [
        { error_number: 2001, error: 'x' },
        { errno: -1, description: 'y' },
      ],
    }),
  ],
  words: ['n[1-3]', 'FAILED', 'COMPLETED', 'error_code', 'time_limit'],
  run: (input, mark) => {
    for (const status of [200, 400, 500, 503]) {
      const answer = answerOf(status, input.toString('utf8'))
      mark(answer.answer)
      if (answer.answer !== 'replied') continue
      const { jobs = [], nodes = [] } = answer.body
      const surroundings = sightingContext(jobs)
      for (const shown of jobsOf(jobs, 'k')) mark(sightingOf(jobOf(shown), surroundings).state)
      for (const shown of nodes) mark(nodeOf(shown).state)
    }
  },
}
