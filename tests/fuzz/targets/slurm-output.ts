// What Slurm's commands print: jobs with names that any user of the cluster can choose, nodes, exit codes, host lists.

import { exitsIn, jobsIn, sightingOf } from '../../../packages/effects/executors/src/slurm/job-list.ts'
import { nodesIn } from '../../../packages/effects/executors/src/slurm/node-list.ts'
import type { Target } from '../target.ts'

export const target: Target = {
  grammar: 'text',
  seeds: [
    '12|il-run-1|RUNNING|n[1-3,07]|2026-11-15T10:00:00|None\n13|il-x|PENDING||N/A|Resources|more\n',
    'n1|idle|0/8/0/8|none\nn2|drained*|8/0/0/8|bad | disk\nn3|mixed~|1/7/0/8|none\n',
    '12                  256\n13                  15\n',
    '14|il-y|COMPLETING|rack[1-2]n[01-03],login|2026|x\n15|il-z|NODE_FAIL|n[|N/A|x\n',
  ],
  words: ['il-', '|', 'n[1-3]', '[', ']', '-', ',', 'TIMEOUT', 'COMPLETED', 'FAILED', '[0-9]', '[00-99]', 'drain'],
  run: (input, mark) => {
    const text = input.toString('utf8')
    const surroundings = { exits: exitsIn(text), queue: text.split('\n').map(Number) }
    for (const job of jobsIn(text)) mark(sightingOf(job, surroundings).state)
    for (const node of nodesIn(text)) mark(node.state)
  },
}
