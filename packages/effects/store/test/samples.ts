// Rows for tests, with the fields that a test does not care about filled in.

import type { Report } from '@ironlaw/contracts/report'
import type { Database } from '../src/database.ts'
import type { NewEvent } from '../src/events.ts'
import { createRun } from '../src/runs.ts'

let idsMade = 0

/** Never the same twice in a process, so suites can share a database. */
export const freshId = (kind: string): string => `${kind}-${(idsMade += 1)}`

export const event = (kind: string, at = 1000): NewEvent => ({ kind, actor: 'ada', at, body: { why: kind } })

export async function queuedRun(
  database: Database,
  { at = 1000, project = 'p' }: { readonly at?: number; readonly project?: string } = {},
): Promise<string> {
  const id = freshId('run')
  const plan = { id: 'plan-1', kind: 'TrainingPlan', body: { step_s: 0.5 } }
  const program = { argv: ['train.py'], directory: '.', environment: {} }
  await createRun(database, { id, name: id, project, plan, spec: { nodes: 2 }, program }, event('run-created', at))
  return id
}

export const report = (sequence: number, fields: Partial<Report> = {}): Report => ({
  node: 'n1',
  index: 0,
  sequence,
  sent_at: 1000,
  beats: [],
  exits: [],
  steps: [],
  checkpoints: [],
  notes: [],
  ...fields,
})
