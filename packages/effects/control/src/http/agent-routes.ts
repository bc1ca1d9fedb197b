// What the agents of a run send, with the token of that run.

import { IronlawError } from '@ironlaw/contracts'
import { OPERATIONS } from '@ironlaw/contracts/operations'
import { answerAgent } from '../runs/answer-agent.ts'
import { recorder, takeReport } from '../runs/take-report.ts'
import { LIMITS } from './body-check.ts'
import { route } from './operation.ts'
import type { Api, ApiPorts } from './ports.ts'
import { reportLimits } from './report-limits.ts'
import { requireRun } from '../runs/run-view.ts'

export function addAgentRoutes(app: Api, { database, now, onWake, logs, metrics, redaction }: ApiPorts): void {
  const record = recorder(database)
  const limits = reportLimits()
  // Every second from every run: only what goes wrong is worth a line.
  const quiet = { logLevel: 'warn' } as const
  app.route({
    ...route(OPERATIONS.announce),
    ...quiet,
    handler: ({ params: { id }, body }) => {
      limits.mustAllowAnnouncement(id)
      return answerAgent({ database, run_id: id, now: now(), onWake }, body)
    },
  })
  app.route({
    ...route(OPERATIONS.report),
    ...quiet,
    bodyLimit: LIMITS.report,
    handler: async ({ params: { id, attempt }, body, principal }) => {
      limits.mustAllow(id, body.steps.length + body.checkpoints.length)
      const report = principal?.kind === 'run' ? await redaction.report(principal.project, body) : body
      const answer = await takeReport({ database, run_id: id, attempt, now: now(), onWake, record }, report)
      metrics.reported(body.steps.length)
      return answer
    },
  })
  // A part may end within a character, so it is bytes, not text.
  app.addContentTypeParser('text/plain', { parseAs: 'buffer', bodyLimit: LIMITS.log }, (_request, body, done) => done(null, body))
  app.route({
    ...route(OPERATIONS.appendLog),
    ...quiet,
    bodyLimit: LIMITS.log,
    handler: async ({ params: { id, attempt }, query: { node, rank, offset }, body }) => {
      if (!Buffer.isBuffer(body)) throw new IronlawError('IL_INVALID', { path: 'headers.content-type', problem: 'expected text/plain' })
      const run = await requireRun(database, id)
      if (attempt > run.attempt) throw new IronlawError('IL_NOT_FOUND', { kind: 'attempt', id: `${id}.${attempt}` })
      const redactor = await redaction.of(run.project)
      return { offset: await logs.append({ run: id, attempt, node, rank }, { offset, bytes: body, redactor }) }
    },
  })
}
