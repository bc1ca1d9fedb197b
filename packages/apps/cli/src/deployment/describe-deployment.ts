// One deployment in full: what serves, which replicas ended and why, and the latest events.

import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import type { CommandAnswer } from '../answer.ts'
import { paint } from '../paint.ts'
import { api } from '../api/api-client.ts'
import type { Context } from '../context/context.ts'
import { showClock, eventLine } from '../run/run-text.ts'
import { deploymentHead, drillText, replicasTable, rolloutText } from './deployment-text.ts'

const EVENTS_SHOWN = 15

export async function describeDeployment(to: Context, deployment: DeploymentView): Promise<CommandAnswer> {
  const { id, name, project, created_at, created_by, revisions, stable, gone = [], drills = [] } = deployment
  const { items: events } = await api(to).listDeploymentEvents({ name: id, query: { newest: EVENTS_SHOWN } })
  return { json: { deployment, events }, text }

  function text(): string {
    const now = Date.now() / 1000
    const serving = revisions.find(({ number }) => number === stable)
    return [
      deploymentHead(deployment),
      `project ${project}, by ${created_by} at ${showClock(created_at)}`,
      ...(serving
        ? [`model ${serving.model}, ${serving.plan === undefined ? 'no plan' : `plan ${serving.plan}`}: ${serving.argv.join(' ')}`]
        : []),
      '',
      rolloutText(deployment, now),
      '',
      ...(drills.length === 0
        ? [paint('dim', `the way back was never drilled: ironlaw drill rollback ${name}`)]
        : drills.map((each) => drillText(each, now))),
      ...(gone.length === 0 ? [] : ['', paint('bold', 'gone, newest first'), replicasTable(gone, now)]),
      '',
      ...events.map(eventLine),
      '',
      paint('dim', `logs of an engine: ironlaw logs ${name} --replica N`),
    ].join('\n')
  }
}
