// Runs, and what belongs to one.

import { IronlawError, RUN_STATES } from '@ironlaw/contracts'
import { OPERATIONS } from '@ironlaw/contracts/operations'
import { checkpointsOf, setDesired, listRuns, LIVE_STATES, type ProjectScope, runsNamed, stepsAfter } from '@ironlaw/store'
import { makeRun } from '../runs/create-run.ts'
import { resumeRun } from '../runs/resume-run.ts'
import { runLedger } from '../ledger/run-ledger.ts'
import { originView } from '../runs/origin-view.ts'
import { runDiff } from '../runs/run-diff.ts'
import { requireRank } from '../runs/run-ranks.ts'
import { attemptViews, runDetail, requireRun, runViews } from '../runs/run-view.ts'
import { requireSecrets } from '../secrets/deliver.ts'
import { runCursor, runPosition, stepCursor, stepPosition } from './cursors.ts'
import { actorOf } from './authentication.ts'
import { callerProjects, requireRole, requireVisibleRun } from './authorization.ts'
import { route } from './operation.ts'
import type { Api, ApiPorts } from './ports.ts'

export function addRunRoutes(app: Api, { database, now, onWake, secrets }: ApiPorts): void {
  app.route({
    ...route(OPERATIONS.createRun),
    handler: async (request, reply) => {
      const key = request.headers['idempotency-key']
      const { project, program } = request.body
      requireRole(request, 'member', project)
      await requireSecrets(secrets, { project, references: program.secrets, path: 'body.program.secrets' })
      const visible = callerProjects(request, 'viewer')
      const run = await makeRun(database, request.body, { actor: actorOf(request), at: now(), visible, ...(key !== undefined && { key }) })
      onWake()
      return reply.code(201).send(run)
    },
  })
  app.route({
    ...route(OPERATIONS.listRuns),
    handler: async (request) => {
      const { name, state, live, project, limit, cursor } = request.query
      const visible = callerProjects(request, 'viewer')
      if (name !== undefined) {
        const [run, ...others] = await runsNamed(database, name, { limit, projects: visible })
        return { items: run ? [await runDetail(database, run.id), ...(await runViews(database, others))] : [], next: null }
      }
      const wanted = state === undefined ? undefined : RUN_STATES.filter((each) => state.split(',').includes(each))
      const states = live === 'true' ? LIVE_STATES.filter((each) => wanted?.includes(each) ?? true) : wanted
      const before = runPosition(cursor)
      const runs =
        states?.length === 0
          ? []
          : await listRuns(
              database,
              { projects: narrowed(visible, project), ...(states && { states }) },
              { limit, ...(before && { before }) },
            )
      const last = runs.length === limit ? runs.at(-1) : undefined
      return { items: await runViews(database, runs), next: last ? runCursor(last) : null }
    },
  })
  app.route({ ...route(OPERATIONS.getRun), handler: ({ params }) => runDetail(database, params.id) })
  app.route({
    ...route(OPERATIONS.cancelRun),
    handler: async (request) => {
      const { id } = request.params
      const event = { kind: 'run-cancel-wanted', actor: actorOf(request), at: now(), body: {} }
      const answer = await setDesired(database, { run_id: id, desired: 'cancel' }, event)
      const run = await requireRun(database, id)
      if (answer === 'ended' && run.state !== 'cancelled')
        throw new IronlawError('IL_CONFLICT', { problem: `run ${id} has ${run.state} already`, next: 'nothing is left to cancel' })
      onWake()
      return runDetail(database, id)
    },
  })
  app.route({
    ...route(OPERATIONS.resumeRun),
    handler: async (request) => {
      const { id } = request.params
      await resumeRun(database, { id, actor: actorOf(request), at: now() })
      onWake()
      return runDetail(database, id)
    },
  })
}

/** One project of those that are visible, or all of them. */
function narrowed(visible: ProjectScope, project: string | undefined): ProjectScope {
  if (project === undefined) return visible
  return visible === '*' || visible.includes(project) ? [project] : []
}

export function addProgressRoutes(app: Api, { database, logs, now }: ApiPorts): void {
  app.route({
    ...route(OPERATIONS.listAttempts),
    handler: async ({ params }) => ({ items: await attemptViews(database, await requireRun(database, params.id)), next: null }),
  })
  app.route({
    ...route(OPERATIONS.listCheckpoints),
    handler: async ({ params }) => {
      const { id } = await requireRun(database, params.id)
      return { items: await checkpointsOf(database, id), next: null }
    },
  })
  app.route({
    ...route(OPERATIONS.listSteps),
    handler: async ({ params, query: { after: cursor, limit } }) => {
      const { id } = await requireRun(database, params.id)
      const after = stepPosition(cursor)
      const batches = await stepsAfter(database, id, { limit, ...(after && { after }) })
      const last = batches.length === limit ? batches.at(-1) : undefined
      const items = batches.flatMap((batch) => batch.rows.map((row) => ({ ...row, attempt: batch.attempt, cursor: stepCursor(batch) })))
      return { items, next: last ? stepCursor(last) : null }
    },
  })
  app.route({
    ...route(OPERATIONS.getLedger),
    handler: async ({ params }) => runLedger(database, await requireRun(database, params.id), now()),
  })
  app.route({
    ...route(OPERATIONS.diffRuns),
    handler: async (request) => {
      const { id, other } = request.params
      const first = await requireRun(database, id)
      return runDiff(database, [first, await requireVisibleRun(database, request, other)], now())
    },
  })
  app.route({
    ...route(OPERATIONS.getRunOrigin),
    handler: async ({ params }) => originView(database, await requireRun(database, params.id)),
  })
  app.route({
    ...route(OPERATIONS.readLog),
    handler: async ({ params, query: { attempt, rank, offset } }, reply) => {
      const run = await requireRun(database, params.id)
      const number = attempt ?? run.attempt
      await requireRank(database, run, { attempt: number, rank })
      const { text, next } = await logs.read({ run: run.id, attempt: number, rank }, offset)
      return reply.type('text/plain; charset=utf-8').header('x-next-offset', next).send(text)
    },
  })
}
