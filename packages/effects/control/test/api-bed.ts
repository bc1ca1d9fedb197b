// The API over a real database inside this process, with a token of every kind and one run whose agents may report.

import { openAuthority } from '@ironlaw/certificates'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Role, ROLES } from '@ironlaw/contracts'
import type { CreateRun } from '@ironlaw/contracts/api'
import type { Report } from '@ironlaw/contracts/report'
import type { Executor, Node } from '@ironlaw/executors'
import { applyUnderLease, type Database, leaseDue, migrate } from '@ironlaw/store'
import { sampleTrainingPlan } from '@ironlaw/contracts/sample-plan'
import { openEmptyEmbedded } from '../../store/test/empty-embedded.ts'
import { siteArtifacts } from '../src/artifacts/site-artifacts.ts'
import { type Api, type ApiOptions, buildApi } from '../src/http/api.ts'
import { issueRunToken, issueToken } from '../src/access/tokens.ts'

export type ApiBed = {
  readonly api: Api
  readonly database: Database
  readonly tokens: Readonly<Record<Role | 'revoked', string>>
  /** In the order of calls since the bed was made. */
  readonly wakes: () => number
  /** Lines that the server logged. */
  readonly log: () => string
  readonly call: (call: Call) => Promise<ApiAnswer>
  readonly newRun: (over?: Partial<CreateRun>) => Promise<{ readonly id: string; readonly token: string }>
  /** Moves a run to its next attempt, as the reconciler does. */
  readonly nextAttempt: (run: string) => Promise<void>
  readonly close: () => Promise<void>
}

type Call = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  readonly as?: string
  readonly body?: object | string
  readonly headers?: Readonly<Record<string, string>>
}

export type ApiAnswer = {
  readonly status: number
  readonly json: ReturnType<typeof JSON.parse>
  readonly text: string
  readonly headers: Readonly<Record<string, unknown>>
}

/** PGlite needs two seconds to start, and many times that on a busy machine. */
export const BED_TIMEOUT_MS = 60_000

export const SECRET = 'planted-secret-8c1f'

export const runRequest = (over: Partial<CreateRun> = {}): CreateRun => ({
  name: 'tiny',
  project: 'default',
  plan: sampleTrainingPlan(),
  program: { argv: ['train.py'], directory: '/srv', environment: { API_KEY: SECRET } },
  shape: { nodes: 2, processesPerNode: 2, smaller: [1] },
  ...over,
})

export const report = (over: Partial<Report> = {}): Report => ({
  node: 'n1',
  index: 0,
  sequence: 1,
  sent_at: 1000,
  beats: [],
  exits: [],
  steps: [],
  checkpoints: [],
  notes: [],
  ...over,
})

type BedOptions = Pick<ApiOptions, 'limits' | 'logLimit_bytes' | 'trustedProxies' | 'auditSending' | 'signIn'> & {
  readonly database?: Database
  /** Unix seconds; from 1000 on, a thousandth for each look, when absent. */
  readonly now?: () => number
}

export async function apiBed({ database: given, now: clockOf, ...apiOptions }: BedOptions = {}): Promise<ApiBed> {
  const database = given ?? (await openEmptyEmbedded())
  await migrate(database)
  const logDirectory = mkdtempSync(join(tmpdir(), 'ironlaw-api-'))
  let clock = 1000
  let wakes = 0
  let log = ''
  const now = clockOf ?? ((): number => (clock += 0.001))
  const api = await buildApi({
    database,
    now,
    logDirectory,
    fleet: { cluster: 'test', executor: threeNodes() },
    onWake: () => (wakes += 1),
    logTo: { write: (line) => (log += line) },
    authority: () => openAuthority(join(logDirectory, 'authority')),
    artifacts: siteArtifacts({ database, url: join(logDirectory, 'artifacts'), now }),
    ...apiOptions,
  })
  const issued = async (role: Role, name: string = role) => issueToken(database, { name, role, actor: 'test', at: now() })
  const secrets = await Promise.all(ROLES.map(async (role) => (await issued(role)).secret))
  const revoked = await issued('admin', 'revoked')
  const tokens = tokensByRole(secrets, revoked.secret)

  async function call({ method, url, as, body, headers = {} }: Call): Promise<ApiAnswer> {
    const authorization = as === undefined ? {} : { authorization: `Bearer ${as}` }
    const payload = body === undefined ? {} : { payload: body }
    const answer = await api.inject({ method, url, headers: { ...authorization, ...headers }, ...payload })
    const isJson = /json/.test(String(answer.headers['content-type'])) && answer.body !== ''
    return { status: answer.statusCode, json: isJson ? answer.json() : undefined, text: answer.body, headers: answer.headers }
  }

  async function nextAttempt(run: string): Promise<void> {
    const at = now()
    const lease = (await leaseDue(database, { holder: 'test', at, lease_s: 1, limit: 1000 })).find((each) => each.run.id === run)
    if (!lease) throw new Error(`${run} is not due`)
    const number = lease.run.attempt + 1
    const attempt = { number, state: 'submitted', nodes: 2, excluded: [], submittedAt: at } as const
    const events = [{ kind: 'attempt-created', actor: 'test', at, body: { attempt: number } }] as const
    await applyUnderLease(
      database,
      { run_id: run, token: lease.token },
      { at, state: 'starting', attempt: number, attempts: [attempt], events, next_look_at: at },
    )
    clock += 1
  }

  async function newRun(over: Partial<CreateRun> = {}) {
    const { json } = await call({ method: 'POST', url: '/v1/runs', as: tokens.operator, body: runRequest(over) })
    const token = await issueRunToken(database, { run: json.id, at: now() })
    await nextAttempt(json.id)
    return { id: String(json.id), token }
  }

  await call({ method: 'DELETE', url: `/v1/tokens/${revoked.id}`, as: tokens.admin })
  const close = async (): Promise<void> => {
    await api.close()
    await database.destroy()
    rmSync(logDirectory, { recursive: true })
  }
  return { api, database, tokens, wakes: () => wakes, log: () => log, call, newRun, nextAttempt, close }
}

function tokensByRole(secrets: readonly string[], revoked: string): ApiBed['tokens'] {
  const [viewer = '', member = '', operator = '', admin = '', gateway = ''] = secrets
  return { viewer, member, operator, admin, gateway, revoked }
}

function threeNodes(): Pick<Executor, 'capacity' | 'drain' | 'undrain'> {
  const nodes = new Map<string, Node>(['n1', 'n2', 'n3'].map((name) => [name, { name, state: 'idle', slots: 8, free: 8 }]))
  const set = async (name: string, state: Node['state']) => {
    const node = nodes.get(name)
    if (!node) return { answer: 'refused', field: 'node', reason: 'unknown' } as const
    nodes.set(name, { ...node, state })
    return { answer: 'done' } as const
  }
  return {
    capacity: async () => ({ answer: 'capacity', nodes: [...nodes.values()] }),
    drain: (name) => set(name, 'drained'),
    undrain: (name) => set(name, 'idle'),
  }
}
