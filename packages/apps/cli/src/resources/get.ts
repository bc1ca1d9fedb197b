import type { CommandAnswer } from '../answer.ts'
import { api } from '../api/api-client.ts'
import { context } from '../context/context.ts'
import { deploymentsTable } from '../deployment/deployment-text.ts'
import { accessAnswer } from '../access/access-text.ts'
import { teamsAnswer } from '../access/teams-text.ts'
import { gatewaysTable } from '../gateway/gateway-text.ts'
import { nodesTable } from './node-text.ts'
import { runsTable } from '../run/run-text.ts'

export type GetFlags = { readonly state?: string; readonly project?: string; readonly limit: string }

/** Arguments that list something other than the runs of a name. */
const GATEWAYS = 'gateways'
const ACCESS = 'access'
const NODES = 'nodes'
const TEAMS = 'teams'
const ARTIFACTS = 'artifacts'
const MODELS = 'models'
const RELEASES = 'releases'

async function nodesAnswer(): Promise<CommandAnswer> {
  const list = await api(context()).listNodes({})
  return { json: list, text: () => (list.items.length === 0 ? 'no nodes' : nodesTable(list.items)) }
}

async function gatewaysAnswer(): Promise<CommandAnswer> {
  const list = await api(context()).listGateways({})
  return { json: list, text: () => (list.items.length === 0 ? 'no gateways' : gatewaysTable(list, Date.now() / 1000)) }
}

export async function getAnswer(name: string | undefined, flags: GetFlags): Promise<CommandAnswer> {
  if (name === GATEWAYS) return gatewaysAnswer()
  if (name === ACCESS) return accessAnswer()
  if (name === TEAMS) return teamsAnswer()
  if (name === NODES) return nodesAnswer()
  if (name === ARTIFACTS) return (await import('../artifact/artifacts.ts')).artifactsAnswer(flags)
  if (name === MODELS) return (await import('../registry/models.ts')).modelsAnswer(flags)
  if (name === RELEASES) return (await import('../registry/releases.ts')).releasesAnswer(flags)
  const { limit, state, project } = flags
  const to = context()
  const [runs, all] = await Promise.all([
    api(to).listRuns({ query: { limit: Number(limit), name, state, project } }),
    api(to).listDeployments({}),
  ])
  const ofRuns = state !== undefined
  const deployments = all.items.filter((each) => !ofRuns && each.name === (name ?? each.name) && each.project === (project ?? each.project))
  const now = Date.now() / 1000
  return {
    json: { ...runs, deployments },
    text: () =>
      [
        ...(deployments.length === 0 ? [] : [deploymentsTable(deployments, now)]),
        ...(runs.items.length === 0 ? (deployments.length === 0 ? ['no runs'] : []) : [runsTable(runs.items, now)]),
      ].join('\n\n'),
    ...(runs.next !== null && { notes: ['there are more; --limit shows up to 1000 at once'] }),
  }
}
