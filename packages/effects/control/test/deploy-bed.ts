// The reconciler of deployments over a real database inside this process and a simulated fleet, in the time of a clock that the test
// moves. Engines are what the test says of them; a gateway is one that takes every snapshot at once.

import type { Replica } from '@ironlaw/contracts'
import { type CreateDeployment, DEPLOYMENT_SPEC } from '@ironlaw/contracts/deployment-api'
import type { Executor } from '@ironlaw/executors'
import { type SimulatedFleet, simulatedFleet } from '@ironlaw/executors/simulated'
import { DEFAULT_DEPLOYMENT_LIMITS } from '@ironlaw/policies/deployment'
import { DEFAULT_ROLLOUT } from '@ironlaw/policies/rollout'
import { type Database, type Deployment, deploymentNamed, deploymentStream, eventsOf, replicasOf } from '@ironlaw/store'
import { makeDeployment } from '../src/deploy/make-deployment.ts'
import type { DeployPorts } from '../src/deploy/ports.ts'
import { reconcileDeployments } from '../src/deploy/reconcile-deployments.ts'
import { type Behaviour, simulatedGateway } from './simulated-gateway.ts'
import { emptiedDatabase } from './emptied-database.ts'

export type DeployBed = {
  readonly database: Database
  readonly fleet: SimulatedFleet
  readonly ports: DeployPorts
  /** How engines behave, by revision; and ids of replicas that do not answer. */
  readonly behaviour: Map<number, Behaviour>
  readonly hung: Set<string>
  readonly deploy: (spec?: object) => Promise<void>
  /** Advances the clock in rounds of half a second, with this many requests a second through the gateway. */
  readonly pass: (seconds: number, requests_per_s?: number) => Promise<void>
  readonly deployment: () => Promise<Deployment>
  readonly living: () => Promise<readonly Replica[]>
  readonly brief: () => Promise<readonly string[]>
  readonly kinds: () => Promise<readonly string[]>
  readonly now: () => number
}

export const REVISION = { model: 'm', argv: ['engine'], directory: '/', environment: {}, processes: 1, max_running: 8 }

const CREATED: Omit<CreateDeployment, 'spec'> = { name: 'chat', project: 'p', team: 't', revision: REVISION }

type BedOptions = {
  readonly wrap?: (executor: Executor) => Executor
  readonly slots?: number
  /** Accelerators of each node, and those that the first revision requests. */
  readonly devices?: { readonly kind: string; readonly perNode: number }
  readonly request?: CreateDeployment['revision']['devices']
}

export async function deployBed({ wrap = (executor) => executor, slots = 4, devices, request }: BedOptions = {}): Promise<DeployBed> {
  const database = await emptiedDatabase()
  let now_s = 1000
  const nodes = ['n1', 'n2', 'n3', 'n4']
  const fleet = simulatedFleet({ nodes, slots, ...(devices && { devices }), now_s: () => now_s, script: () => undefined })
  const behaviour = new Map<number, Behaviour>()
  const hung = new Set<string>()
  const revisions = new Map<string, number>()
  const of = (id: string): Behaviour => behaviour.get(revisions.get(id) ?? 0) ?? {}
  const idOf = (url: string): string => new URL(url).pathname.slice(1)
  const isUp = async (id: string): Promise<boolean> => {
    const seen = await fleet.executor.sightings([id])
    return (seen.answer !== 'seen' || seen.jobs.get(id)?.state === 'running') && !hung.has(id)
  }
  const ports: DeployPorts = {
    database,
    executor: wrap(fleet.executor),
    site: { runs: '/runs' },
    access: {
      endpoint: async (id) => `http://engine/${id}`,
      isReady: async (url) => !of(idOf(url)).never && isUp(idOf(url)),
      lastWords: async (id) => of(id).words,
      nameProblem: async (url) => of(idOf(url)).unfit,
      isRight: async (url) => ((await isUp(idOf(url))) ? !of(idOf(url)).wrong : undefined),
    },
    limits: DEFAULT_DEPLOYMENT_LIMITS,
    rollout: DEFAULT_ROLLOUT,
    now: () => now_s,
    holder: 'bed',
  }
  const deployment = async (): Promise<Deployment> => {
    const [row] = await database.selectFrom('deployments').selectAll().orderBy('created_at', 'desc').limit(1).execute()
    if (!row) throw new Error('nothing is deployed')
    return row
  }
  const living = async (): Promise<readonly Replica[]> => {
    const { id } = await deployment()
    return (await replicasOf(database, [id], { goneSince_at: Infinity })).get(id)
  }
  const gateway = simulatedGateway({ database, now: () => now_s, isUp, of })
  return {
    database,
    fleet,
    ports,
    behaviour,
    hung,
    deployment,
    living,
    now: () => now_s,
    deploy: async (spec = {}) => {
      const revision = { ...REVISION, ...(request && { devices: request }) }
      const wanted = { ...CREATED, revision, spec: DEPLOYMENT_SPEC.parse({ replicas: 2, ...spec }) }
      await makeDeployment(database, wanted, { actor: 'ada', at: now_s })
    },
    pass: async (seconds, requests_per_s = 0) => {
      for (const end = now_s + seconds; now_s < end; now_s += 0.5) {
        for (const { id, revision } of (await deploymentNamed(database, 'chat')) ? await living() : []) revisions.set(id, revision)
        await gateway(requests_per_s / 2)
        const { failed } = await reconcileDeployments(ports)
        for (const { reason } of failed) if (reason !== 'killed') throw new Error(reason)
      }
    },
    brief: async () => (await living()).map(({ state, revision }) => `${state} ${revision}`),
    kinds: async () =>
      (await eventsOf(database, deploymentStream((await deployment()).id), { after: 0, limit: 1000 })).map(({ kind }) => kind),
  }
}
