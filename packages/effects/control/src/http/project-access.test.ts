// Every operation, asked by every kind of caller for what belongs to the project alpha.

import { OPERATIONS } from '@ironlaw/contracts/operations'
import { sampleTrainingPlan } from '@ironlaw/contracts/sample-plan'
import { createPrincipal, PRINCIPALS_STREAM } from '@ironlaw/store'
import { hash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiAnswer, type ApiBed, apiBed, BED_TIMEOUT_MS, report, runRequest } from '../../test/api-bed.ts'
import { issueToken } from '../access/tokens.ts'
import { liveSessions, openSession } from '../sign-in/sessions.ts'
import { ACCESS_CALLERS, type AccessCaller, accessOutcome } from './access-table.ts'

let bed: ApiBed
const tokens = new Map<string, string>()
let run: { readonly id: string; readonly token: string }
const plan = sampleTrainingPlan({ name: 'alpha-plan' })
const revision = { model: 'm', argv: ['engine'], directory: '/' }

beforeAll(async () => {
  bed = await apiBed()
  run = await bed.newRun({ name: 'alpha-run', project: 'alpha', plan })
  const other = await bed.newRun({ name: 'beta-run', project: 'beta' })
  await bed.call({
    method: 'POST',
    url: '/v1/deployments',
    as: bed.tokens.admin,
    body: { name: 'alpha-chat', project: 'alpha', spec: { replicas: 1 }, revision },
  })
  await bed.database.updateTable('deployments').set({ replicas_made: 1 }).execute()
  await bed.call({ method: 'POST', url: '/v1/nodes/n2/drain', as: bed.tokens.admin, body: { reason: 'alpha-run failed here' } })
  for (const [index, caller] of ACCESS_CALLERS.entries()) tokens.set(caller.name, await tokenOf(caller, `caller-${index}`))
  tokens.set('run of alpha', run.token)
  tokens.set('run of beta', other.token)
  tokens.set('revoked token', bed.tokens.revoked)
}, BED_TIMEOUT_MS)
afterAll(() => bed.close())

async function tokenOf({ name, is, grants }: AccessCaller, id: string): Promise<string> {
  const secret = `il_${hash('sha256', id, 'base64url')}`
  const role = is === 'gateway' ? ('gateway' as const) : ('person' as const)
  const expiry = name === 'expired token' ? { expires_at: 1 } : {}
  const event = { kind: 'token-created', actor: 'test', at: 1, body: { stream: PRINCIPALS_STREAM } }
  await createPrincipal(bed.database, { id, name: id, role, grants, ...expiry, token_hash: hash('sha256', secret) }, event)
  return secret
}

type Question = {
  /** Of the object: one of alpha, or one that does not exist. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: string
  readonly body?: object | string
  readonly headers?: Readonly<Record<string, string>>
}

type QuestionFor = (which: 'alpha' | 'absent') => Question | Promise<Question>

const ofRun =
  (rest: Question = {}): QuestionFor =>
  (which) => ({
    ...rest,
    params: { id: which === 'alpha' ? run.id : 'absent-run', attempt: '1', other: which === 'alpha' ? run.id : 'absent-run' },
  })
const ofDeployment =
  (rest: Question = {}): QuestionFor =>
  (which) => ({ ...rest, params: { name: `${which}-chat`, replica: '1' } })
const ofProject =
  (rest: Question = {}): QuestionFor =>
  (which) => ({ ...rest, params: { project: which, name: 'key', artifact: 'corpus', other: 'corpus' } })
const ofNode =
  (rest: Question = {}): QuestionFor =>
  () => ({ ...rest, params: { name: 'n3' } })
const ofGateway =
  (rest: Question): QuestionFor =>
  () => ({ ...rest, params: { name: 'edge' } })
const ofToken =
  (rest: Question = {}): QuestionFor =>
  async (which) => {
    if (which === 'absent') return { ...rest, params: { id: 'absent-token' } }
    const { id } = await issueToken(bed.database, { name: 'target', role: 'viewer', projects: ['alpha'], actor: 'test', at: 1 })
    return { ...rest, params: { id } }
  }
const ofSession: QuestionFor = async () => {
  const identity = { subject: 'grace', name: 'Grace', groups: [] }
  await openSession(bed.database, { identity, kind: 'console', issuer: 'https://id.example.org', at: Date.now() / 1000 })
  const sessions = await liveSessions(bed.database, Date.now() / 1000)
  return { params: { id: sessions.at(-1)?.id ?? '' } }
}
const plain =
  (rest: Question = {}): QuestionFor =>
  () =>
    rest
const text = { 'content-type': 'text/plain' }
const MANIFEST = {
  apiVersion: 'ironlaw/v1',
  kind: 'Artifact',
  type: 'dataset',
  files: [{ path: 'a.txt', bytes: 1, leaves: 1, chunks: '0'.repeat(64) }],
  facts: {},
}

/** 'open': without a token, so that the tests of sign-in have it. */
const QUESTIONS: Readonly<Record<keyof typeof OPERATIONS, QuestionFor | 'open'>> = {
  createRun: () => ({ body: runRequest({ name: 'made', project: 'alpha' }) }),
  listRuns: plain(),
  getRun: ofRun(),
  cancelRun: ofRun(),
  resumeRun: ofRun(),
  listAttempts: ofRun(),
  listCheckpoints: ofRun(),
  listSteps: ofRun(),
  getLedger: ofRun(),
  getRunOrigin: ofRun(),
  diffRuns: ofRun(),
  listRunEvents: ofRun(),
  readLog: ofRun({ query: '?attempt=1' }),
  announce: ofRun({ body: { allocation: 1, index: 0, node: 'n1', host: 'n1', incarnation: 'i' } }),
  report: ofRun({ body: report() }),
  appendLog: ofRun({ query: '?node=0&rank=0&offset=0', body: 'text', headers: text }),
  createDeployment: plain({ body: { name: 'made', project: 'alpha', spec: { replicas: 1 }, revision } }),
  listDeployments: plain(),
  getDeployment: ofDeployment(),
  getDeploymentFigures: ofDeployment(),
  getDeploymentProfile: ofDeployment(),
  listDeploymentEvents: ofDeployment(),
  readReplicaLog: ofDeployment(),
  changeDeployment: ofDeployment({ body: { spec: { replicas: 1 } }, headers: { 'if-match': '*' } }),
  removeDeployment: ofDeployment(),
  createRevision: ofDeployment({ body: revision }),
  orderRollout: ofDeployment({ body: { do: 'promote' } }),
  recordDrill: ofDeployment({ body: { tier: 'warm', from: 2, to: 1 } }),
  syncGateway: ofGateway({ body: { boot: 'b', version: -1, pools: [], replicas: [] } }),
  shareQuota: ofGateway({ body: { boot: 'b', started_at: 1, applied: 0, demand: {} } }),
  reportProfiles: ofGateway({ body: { boot: 'b', windows: [] } }),
  certifyGateway: ofGateway({ body: { request: 'none' } }),
  issueCertificate: plain({ body: { name: 'm', request: 'none' } }),
  getAuthority: plain(),
  listGateways: plain(),
  getGatewayConfig: plain(),
  configureGateways: plain({ body: { tenants: {}, keys: [] }, headers: { 'if-match': '*' } }),
  audit: plain(),
  listAccess: plain(),
  listBudgets: plain(),
  getBudget: () => ({ params: { name: 'team' } }),
  setBudget: () => ({ params: { name: 'team' }, body: { limit_usd: 1 } }),
  checkHeads: plain({ body: { heads: [] } }),
  listAuditSinks: plain(),
  listSecrets: ofProject(),
  setSecret: ofProject({ body: { value: 'v' } }),
  deleteSecret: ofProject(),
  rotateSecretsKey: plain({ body: {} }),
  getArtifactStorage: plain(),
  registerArtifact: ofProject({ body: { manifest: MANIFEST } }),
  makeArtifact: ofRun({ body: { manifest: MANIFEST } }),
  listArtifacts: ofProject(),
  getArtifact: ofProject(),
  getArtifactManifest: ofProject(),
  getArtifactFile: ofProject({ query: '?path=a.txt' }),
  getDatasheet: ofProject(),
  traceArtifact: ofProject(),
  diffArtifacts: ofProject(),
  removeArtifact: ofProject(),
  listArtifactNames: ofProject(),
  setArtifactName: ofProject({ body: { artifact: 'corpus' } }),
  collectArtifacts: plain(),
  listModels: ofProject(),
  getModel: ofProject(),
  getModelCard: ofProject(),
  listReleases: ofProject(),
  decideModel: ofProject({ body: { answer: 'refused', seen: 0, why: 'test' } }),
  getFleetLedger: plain({ query: '?by=project' }),
  getPlan: (which) => ({ params: { id: which === 'alpha' ? plan.id : `${plan.id.slice(0, -4)}0000` } }),
  storePlan: plain({ query: '?project=alpha', body: plan }),
  listNodes: plain(),
  drainNode: ofNode({ body: { reason: 'test' } }),
  undrainNode: ofNode(),
  listTokens: plain(),
  createToken: plain({ body: { name: 'made', role: 'viewer', projects: ['alpha'] } }),
  rotateToken: ofToken({ body: {} }),
  getPrincipal: plain(),
  revokeToken: ofToken(),
  createLoginCode: plain(),
  logIn: 'open',
  listEvents: plain({ query: '?limit=1000' }),
  openApi: plain(),
  getTeams: plain(),
  replaceTeams: plain({ body: { teams: [{ name: 'all', projects: ['alpha', 'beta', 'default'] }] }, headers: { 'if-match': '*' } }),
  listSessions: plain(),
  revokeSession: ofSession,
  getSignInOptions: 'open',
  startDeviceSignIn: 'open',
  pollDeviceSignIn: 'open',
  signOut: 'open',
  metrics: plain(),
}

const CLOSED = Object.values(OPERATIONS).filter(({ need }) => need !== 'open')

async function ask(operation: (typeof CLOSED)[number], caller: string, which: 'alpha' | 'absent' = 'alpha') {
  const question = QUESTIONS[operation.id]
  if (question === 'open') throw new Error(`${operation.id} is not open`)
  const { params = {}, query = '', body, headers } = await question(which)
  const url = operation.url.replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? 'missing') + query
  const token = caller === 'no token' ? undefined : tokens.get(caller)
  const answer = await bed.call({
    method: operation.method,
    url,
    ...(token !== undefined && { as: token }),
    ...(body !== undefined && { body }),
    ...(headers && { headers }),
  })
  const ids = Object.values(params).filter((value) => value.length > 1)
  return { ...answer, plain: ids.reduce((whole, id) => whole.replaceAll(id, 'ID'), withoutRequest(answer)) }
}

const withoutRequest = ({ status, text: whole }: ApiAnswer): string => `${status} ${whole.replace(/,"request":"[^"]*"/, '')}`

const STATUS = { unauthenticated: 401, forbidden: 403, absent: 404 } as const

/** What the site has not got, or has no longer, when an admin asks. */
const MAYBE_ABSENT = new Set<string>([
  'getArtifact',
  'getModel',
  'getModelCard',
  'decideModel',
  'getArtifactManifest',
  'getArtifactFile',
  'getDatasheet',
  'traceArtifact',
  'diffArtifacts',
  'removeArtifact',
  'setArtifactName',
  'getGatewayConfig',
  'deleteSecret',
  'getTeams',
  'getBudget',
  'setBudget',
])

/** What does not fit the table. */
async function problemsOf(operation: (typeof CLOSED)[number], caller: AccessCaller): Promise<readonly string[]> {
  const outcome = accessOutcome(operation, caller)
  const answer = await ask(operation, caller.name)
  const problems: string[] = []
  const wrong = (problem: string) => problems.push(`${operation.id} as ${caller.name}: ${problem}`)
  if (outcome === 'allowed' || outcome === 'filtered') {
    if ([401, 403].includes(answer.status) || answer.status === 500) wrong(`expected ${outcome}, found ${answer.plain}`)
    if (answer.status === 404 && !MAYBE_ABSENT.has(operation.id)) wrong(`found ${answer.plain}`)
  } else if (answer.status !== STATUS[outcome]) wrong(`expected ${outcome}, found ${answer.plain}`)
  const isStranger = caller.is === 'person' && caller.grants.every(({ project }) => project === 'beta')
  if (!isStranger) return problems
  if (operation.method === 'GET' && operation.id !== 'openApi' && answer.status === 200 && answer.text.includes('alpha'))
    wrong(`the answer names what belongs to alpha: ${answer.text.slice(0, 300)}`)
  const absent = await ask(operation, caller.name, 'absent')
  if (outcome === 'absent' && absent.plain !== answer.plain) wrong(`${answer.plain} differs from ${absent.plain}`)
  if (outcome === 'forbidden' && operation.url.includes(':') && absent.plain !== answer.plain)
    wrong(`${answer.plain} differs from ${absent.plain}`)
  return problems
}

test('every operation has a question, and every kind of caller a token', () => {
  expect(Object.keys(QUESTIONS).toSorted()).toEqual(Object.keys(OPERATIONS).toSorted())
  const open = Object.values(OPERATIONS).filter(({ need }) => need === 'open')
  expect(open.filter(({ id }) => QUESTIONS[id] !== 'open')).toEqual([])
  expect(ACCESS_CALLERS.length).toBeGreaterThanOrEqual(12)
})

test.each(CLOSED.map((operation) => [operation.id, operation] as const))(
  '%s answers each caller as the table says',
  async (_, operation) => {
    const problems: string[] = []
    for (const caller of ACCESS_CALLERS) problems.push(...(await problemsOf(operation, caller)))
    expect(problems).toEqual([])
  },
  BED_TIMEOUT_MS,
)
