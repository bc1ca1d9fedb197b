// Everything that can be searched: pages always, the rest as far as the token permits.

import { canCall } from './use-grants.ts'
import { compareHref, deploymentHref, nodeHref, runHref } from '../places.ts'
import { call, itemsOf, readToken } from '../runs/api.ts'
import type { SearchEntry } from './search-entries.ts'

const PAGES: readonly SearchEntry[] = (
  [
    ['Train', 'plan a training run', 'train'],
    ['RL', 'plan reinforcement learning', 'rl'],
    ['Serve', 'plan a deployment', 'serve'],
    ['Data', 'whether selecting data pays, worth of epochs', 'data'],
    ['Runs', 'training runs and jobs', 'runs'],
    ['Deployments', 'served models, rollouts, replicas', 'deployments'],
    ['Registry', 'versions of models, evaluations, decisions', 'registry'],
    ['Fleet', 'nodes, queue, utilization', 'fleet'],
    ['Compare', 'two runs, plans, revisions or evaluations', 'compare'],
    ['Laws', 'the law book', 'laws'],
    ['Catalog', 'accelerators, nodes, links, prices', 'catalog'],
  ] as const
).map(([name, about, page]) => ({ kind: 'page', name, about, href: `#/${page}` }))

/** Pages that not everyone may read. */
const RESTRICTED = [
  { reads: 'listSecrets', name: 'Secrets', about: 'names and versions of what jobs get', href: '#/secrets' },
  { reads: 'listAccess', name: 'Audit', about: 'who changed what, or was refused', href: '#/audit' },
] as const

async function fetchRestrictedPages(): Promise<readonly SearchEntry[]> {
  const pages = await Promise.all(RESTRICTED.map(async ({ reads, ...page }) => ((await canCall(reads)) ? [page] : [])))
  return pages.flat().map((page) => ({ kind: 'page', ...page }))
}

/** Only administrators may read the gateway configuration; other users find no tenants. */
async function fetchTenants(): Promise<readonly SearchEntry[]> {
  if (!(await canCall('getGatewayConfig'))) return []
  const answer = await call('getGatewayConfig', {})
  return Object.keys(answer.ok ? answer.value.value.tenants : {}).map((name) => ({
    kind: 'tenant',
    name,
    about: 'quota and keys',
    href: '#/deployments',
  }))
}

export async function fetchSearchEntries(): Promise<readonly SearchEntry[]> {
  const own = [...PAGES, ...(await loadLawEntries())]
  if (readToken() === '') return own
  const [runs = [], deployments = [], nodes = [], owners, restricted] = await Promise.all([
    call('listRuns', { query: { limit: 100 } }).then(itemsOf),
    call('listDeployments', {}).then(itemsOf),
    call('listNodes', {}).then(itemsOf),
    fetchTenants(),
    fetchRestrictedPages(),
  ])
  return [
    ...runs.map(({ id, name, state, project }): SearchEntry => ({
      kind: 'run',
      name,
      about: `${id}, ${state}, ${project}`,
      href: runHref(id),
    })),
    ...deployments.map(({ name, state, project }): SearchEntry => ({
      kind: 'deployment',
      name,
      about: `${state}, ${project}`,
      href: deploymentHref(name),
    })),
    ...nodes.map(({ name, state }): SearchEntry => ({ kind: 'node', name, about: state, href: nodeHref(name) })),
    ...owners,
    ...new Map(runs.map(({ plan, name }) => [plan, name]))
      .entries()
      .map(([plan, name]): SearchEntry => ({ kind: 'plan', name: plan, about: `of run ${name}`, href: compareHref('plans', plan) })),
    ...restricted,
    ...own,
  ]
}

/** The law book is large, so it is loaded with the first search. */
async function loadLawEntries(): Promise<readonly SearchEntry[]> {
  const { book } = await import('@ironlaw/laws')
  return [...book.values()].map(({ id, name, decides }) => ({
    kind: 'law',
    name,
    about: `${id}: ${decides}`,
    href: `#/laws?law=${encodeURIComponent(id)}`,
  }))
}
