// A control plane with a past: the real API, database and reconcilers over a simulated fleet, on a clock that runs through the past at once
// and then goes on with the world's. Four deployments, one with a revision on trial and one scaled by need, runs that ended and runs that wait.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeBooks } from '@ironlaw/control/bookkeeper'
import { reconcileDeployments } from '@ironlaw/control/deploy'
import { buildApi } from '@ironlaw/control/http'
import { issueToken } from '@ironlaw/control/tokens'
import { type SimulatedFleet, simulatedFleet } from '@ironlaw/executors/simulated'
import { DEFAULT_DEPLOYMENT_LIMITS } from '@ironlaw/policies/deployment'
import { DEFAULT_ROLLOUT } from '@ironlaw/policies/rollout'
import { DEFAULT_LIMITS } from '@ironlaw/policies/run'
import { type Database, migrate, recordReadings } from '@ironlaw/store'
import { reconcileRuns } from '../../packages/effects/control/src/reconcile/reconcile-runs.ts'
import { openEmptyEmbedded } from '../../packages/effects/store/test/empty-embedded.ts'
import type { ControlPlane } from '../control-plane.ts'
import { sparePort } from './control-plane.ts'
import { type Behaviour, simulatedGateway } from './simulated-gateway.ts'
import { type SimulatedPast, simulateTraining, breakNodes } from './simulated-training.ts'
import { sampleServingPlan } from '@ironlaw/contracts/sample-plan'

export type SimulatedPlane = ControlPlane

/** Half a minute of traffic is one window of the page. */
const STEP_S = 30
const CALM_S = 90

export type PlaneOptions = {
  readonly nodes: number
  /** How long ago it all began, and whether a revision was promoted since. */
  readonly past_s: number
  readonly promoted: boolean
}

export async function startSimulatedPlane({ nodes, past_s, promoted }: PlaneOptions): Promise<SimulatedPlane> {
  const trials = promoted ? [WORSE, AS_GOOD, halfway(AS_GOOD)] : [WORSE, halfway(FIRST)]
  const directory = mkdtempSync(join(tmpdir(), 'ironlaw-plane-'))
  const database = await openEmptyEmbedded()
  await migrate(database)
  const began = Date.now() / 1000 - past_s
  let past: number | undefined = began
  let busy = true
  const now = (): number => past ?? Date.now() / 1000
  const names = Array.from({ length: nodes }, (_, at) => `gpu-${String(at + 1).padStart(4, '0')}`)
  const fleet = simulatedFleet({ nodes: names, slots: 8, now_s: now, script: () => undefined })
  const api = await buildApi({
    database,
    now,
    logDirectory: directory,
    fleet: { cluster: 'simulated', executor: fleet.executor },
    onWake: () => undefined,
    replicaLogs: async (replica) => ({ text: engineLog(replica), next: engineLog(replica).length }),
  })
  const address = await api.listen({ host: '127.0.0.1', port: await sparePort() })
  const { secret: token } = await issueToken(database, { name: 'admin', role: 'admin', actor: 'test', at: now() })
  const call = apiCaller(address, token)
  const gateway = simulatedGateway({
    sync: (name, body) => call('POST', `/v1/gateways/${name}/sync`, body),
    of: (pool) => behaviourOf(pool, trials),
    requests_per_s: (model) => (busy ? (REQUESTS_PER_S[model]?.(now() - began) ?? 0) : 0),
  })
  const common = { database, executor: fleet.executor, now, holder: 'plane' }
  const deploying = { ...common, ...sitePaths(fleet), limits: DEFAULT_DEPLOYMENT_LIMITS, rollout: DEFAULT_ROLLOUT }
  const running = {
    ...common,
    cluster: 'simulated',
    site: { runs: directory, api: address, python: 'python3' },
    storage: { completion: async () => undefined, spooled: async () => [] },
    limits: DEFAULT_LIMITS,
    patience_ms: 1000,
    provideToken: async () => undefined,
  }
  const round = async (seconds: number): Promise<void> => {
    await gateway(seconds)
    await reconcileDeployments(deploying)
    await reconcileRuns(running)
  }
  const pass: SimulatedPast['pass'] = async (seconds, step) => {
    for (let left = seconds; left > 0 && past !== undefined; left -= step) {
      const span = Math.min(step, left)
      past += span
      await round(span)
    }
  }
  const history = { call, pass, now, database, fleet, names }
  await breakNodes(history)
  await simulateTraining(history)
  await recordCheck(database, now())
  await closeBooks({ database, now: () => now() + 3600 })
  await simulateServing(history, trials)
  // Nobody asks any longer: what is undecided stays so, however long somebody looks.
  busy = false
  await pass(Date.now() / 1000 - now(), STEP_S)
  past = undefined
  return {
    api: address,
    token,
    close: runRounds(round, async () => {
      await api.close()
      await database.destroy()
      rmSync(directory, { recursive: true, force: true })
    }),
  }
}

function behaviourOf(pool: string, trials: readonly Trial[]): Behaviour {
  const [model, revision = ''] = pool.split('@')
  if (model !== 'chat') return { ttft_s: 0.045, tpot_s: 0.009 }
  return trials[Number.parseInt(revision, 10) - 2] ?? FIRST
}

/** Once a second, until the answer is called. */
function runRounds(round: (seconds: number) => Promise<void>, end: () => Promise<void>): () => Promise<void> {
  const over = new AbortController()
  const rounds = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await round(1)
      const { promise, resolve } = Promise.withResolvers<void>()
      setTimeout(resolve, 1000)
      await promise
    }
  }
  const done = rounds()
  return async () => {
    over.abort()
    await done
    await end()
  }
}

function apiCaller(address: string, token: string): SimulatedPast['call'] {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return async <T>(method: string, path: string, body: object): Promise<T | undefined> => {
    const answer = await fetch(`${address}${path}`, { method, headers, body: JSON.stringify(body) })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
}

const recordCheck = (database: Database, at: number): Promise<void> =>
  recordReadings(database, 'simulated', {
    kind: 'h100-sxm',
    rates: new Map([['gpu-0007', { product_flops: 7.12e14, memory_bytes_per_s: 2.9e12, link_bytes_per_s: 4.6e10 }]]),
    event: { kind: 'node-checked', actor: 'reconciler', at, body: {} },
  })

const engineLog = (replica: string): string =>
  [
    `replica ${replica}`,
    'model-q8_0.gguf: 8.03 B parameters, 8.5 GB, context 8,192',
    'ready after 41.2 s; 64 slots',
    'warning: slot 17: the client went before the answer was complete',
    '',
  ].join('\n')

/** Engines answer at the node of their job. */
const sitePaths = (fleet: SimulatedFleet) => ({
  site: { runs: '/runs' },
  access: {
    endpoint: async (id: string) => {
      // Of this one only the first ever says where it is.
      if (/^draw-.*\.(?!1$)/.test(id)) return undefined
      const job = fleet.jobs().get(id)
      return job?.state === 'running' ? `http://${job.nodes[0]}:8000` : undefined
    },
    isReady: async () => true,
    lastWords: async () => 'CUDA error: out of memory while the KV cache was allocated',
    nameProblem: async () => undefined,
    isRight: async () => true,
  },
})

/** Two waves an hour. */
const WAVE_S = 1800

const REQUESTS_PER_S: Readonly<Record<string, (since_s: number) => number>> = {
  chat: () => 42,
  embed: () => 160,
  rerank: (since_s) => 60 + 50 * Math.sin((2 * Math.PI * since_s) / WAVE_S),
}

type Trial = Behaviour & { readonly model: string; readonly lasts_s: number }

const FIRST = { ttft_s: 0.24, tpot_s: 0.024 }
const WORSE: Trial = { model: 'llama-3.1-8b-int4', ttft_s: 0.36, tpot_s: 0.025, errors: 0.004, lasts_s: 30 }
const AS_GOOD: Trial = { model: 'llama-3.1-8b-fp8', ttft_s: 0.21, tpot_s: 0.021, lasts_s: 160 }
/** Slower than what it is compared with by half of what is allowed: neither verdict is near. */
const halfway = ({ ttft_s, tpot_s }: Behaviour): Trial => ({ model: 'llama-3.1-8b-spec', ttft_s: 1.075 * ttft_s, tpot_s, lasts_s: 50 })

/** Twenty requests a second for each. */
const RERANK_SCALING = { min: 1, max: 8, tokens_per_s: 6400, cold_start_s: 40, down_after_s: 120 }

const REVISION = { model: 'llama-3.1-8b', argv: ['ironlaw', 'engine', '--model', '/models/chat'], directory: '/', processes: 1 }

async function simulateServing({ call, pass, now }: SimulatedPast, trials: readonly Trial[]): Promise<void> {
  const plan = servingPlan()
  await call('POST', '/v1/plans', plan)
  await call('PUT', '/v1/gateway-config', {
    tenants: {
      search: { requests_per_minute: 3000, weight: 4 },
      support: { requests_per_minute: 600, budget: 'support-2026' },
      research: {},
    },
    keys: ['search', 'search', 'support', 'research'].map((tenant, at) => ({ sha256: String(at).repeat(64), tenant })),
  })
  const chat = { ...REVISION, plan: plan.id }
  const deployments = [
    { name: 'chat', project: 'assistant', spec: { replicas: 8 }, revision: chat },
    { name: 'embed', project: 'search', spec: { replicas: 24 }, revision: { ...REVISION, model: 'bge-m3' } },
    { name: 'rerank', project: 'search', spec: { replicas: 2, scaling: RERANK_SCALING }, revision: { ...REVISION, model: 'bge-reranker' } },
    { name: 'draw', project: 'studio', spec: { replicas: 3 }, revision: { ...REVISION, model: 'flux' } },
  ]
  for (const deployment of deployments) await call('POST', '/v1/deployments', deployment)
  await pass(6, 1)
  const later = trials.reduce((sum, { lasts_s }) => sum + lasts_s + CALM_S, 0)
  await pass(Date.now() / 1000 - now() - later, STEP_S)
  for (const { model, lasts_s } of trials) {
    await pass(CALM_S, STEP_S)
    await call('POST', '/v1/deployments/chat/revisions', { ...chat, model })
    await pass(lasts_s, 2)
  }
}

const servingPlan = () =>
  sampleServingPlan({
    accelerator: 'h100-sxm',
    devices: 8,
    pools: [{ role: 'all', replicas: 8, devicesPerReplica: 1, layout: { tensor: 1, pipeline: 1, data: 1, expert: 1 } }],
    objectives: { ttft_s: 0.25, tpot_s: 0.03, percentile: 'p50' },
    prediction: { ttft_s: 0.19, tpot_s: 0.02, usd_per_hour: 19.9, usd_per_million_tokens: 0.31 },
  })
