// Everything that can be found: the pages always, the rest as far as the control plane answers this token.

import type { NodeView, RunView } from '@ironlaw/contracts/api'
import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import { compareHref, deploymentHref, nodeHref, runHref } from '../places.ts'
import { get, keptToken } from '../runs/api.ts'
import type { Found } from './search-entries.ts'

const PAGES: readonly Found[] = (
  [
    ['Train', 'plan a training run', 'train'],
    ['Serve', 'plan a deployment', 'serve'],
    ['Runs', 'training runs and jobs', 'runs'],
    ['Deployments', 'served models, rollouts, replicas', 'deployments'],
    ['Fleet', 'nodes, queue, utilization', 'fleet'],
    ['Compare', 'two runs, plans or revisions', 'compare'],
    ['Laws', 'the law book', 'laws'],
    ['Catalog', 'accelerators, nodes, links, prices', 'catalog'],
  ] as const
).map(([name, about, page]) => ({ kind: 'page', name, about, href: `#/${page}` }))

type List<T> = { readonly items: readonly T[] }

async function listed<T>(path: string): Promise<readonly T[]> {
  const answer = await get<List<T>>(path)
  return answer.ok ? answer.value.items : []
}

/** The configuration of gateways is for administrators; others find no tenants. */
async function tenants(): Promise<readonly Found[]> {
  const answer = await get<{ readonly tenants?: Readonly<Record<string, unknown>> }>('/v1/gateway-config')
  return Object.keys(answer.ok ? (answer.value.tenants ?? {}) : {}).map((name) => ({
    kind: 'tenant',
    name,
    about: 'quota and keys',
    href: '#/deployments',
  }))
}

export async function findable(): Promise<readonly Found[]> {
  const own = [...PAGES, ...(await lawEntries())]
  if (keptToken() === '') return own
  const [runs, deployments, nodes, owners] = await Promise.all([
    listed<RunView>('/v1/runs?limit=100'),
    listed<DeploymentView>('/v1/deployments'),
    listed<NodeView>('/v1/nodes'),
    tenants(),
  ])
  return [
    ...runs.map(({ id, name, state, project }): Found => ({ kind: 'run', name, about: `${id}, ${state}, ${project}`, href: runHref(id) })),
    ...deployments.map(({ name, state, project }): Found => ({
      kind: 'deployment',
      name,
      about: `${state}, ${project}`,
      href: deploymentHref(name),
    })),
    ...nodes.map(({ name, state }): Found => ({ kind: 'node', name, about: state, href: nodeHref(name) })),
    ...owners,
    ...new Map(runs.map(({ plan, name }) => [plan, name]))
      .entries()
      .map(([plan, name]): Found => ({ kind: 'plan', name: plan, about: `of run ${name}`, href: compareHref('plans', plan) })),
    ...own,
  ]
}

/** The law book is large, so it comes with the first search. */
async function lawEntries(): Promise<readonly Found[]> {
  const { book } = await import('@ironlaw/laws')
  return [...book.values()].map(({ id, name, decides }) => ({
    kind: 'law',
    name,
    about: `${id}: ${decides}`,
    href: `#/laws?law=${encodeURIComponent(id)}`,
  }))
}
