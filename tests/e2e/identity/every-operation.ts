// Every operation of the API, asked by one team about what belongs to another.

import { makeCertificateRequest } from '@ironlaw/certificates'
import { planId } from '@ironlaw/contracts'
import { OPERATIONS } from '@ironlaw/contracts/operations'
import type { Site } from './site.ts'

/** What belongs to one team, as another would name it if it knew. */
export type Belongings = {
  readonly project: string
  readonly run: string
  readonly plan: string
  readonly deployment: string
  readonly replica: number
  readonly secret: string
  readonly tenant: string
  readonly budget: string
  readonly token: string
  readonly gateway: string
}

type Verdict = 'refused' | 'invalid' | 'answered'
export type Attempt = {
  readonly operation: string
  readonly status: number
  readonly verdict: Verdict
  readonly request: string
  readonly text: string
}

const REVISION = { model: 'm', argv: ['true'], directory: '/' }
const PLAN = { apiVersion: 'ironlaw/v1', kind: 'Job', name: 'theft', processes: 1 } as const
const MANIFEST = {
  apiVersion: 'ironlaw/v1',
  kind: 'Artifact',
  type: 'dataset',
  files: [{ path: 'a.txt', bytes: 1, leaves: 1, chunks: '0'.repeat(64) }],
  facts: {},
}
const JOB = { ...PLAN, id: planId(PLAN) }
const { request: CERTIFICATE_REQUEST } = await makeCertificateRequest()

const BODIES = (target: Belongings): Readonly<Record<string, unknown>> => ({
  createRun: {
    name: 'theft',
    project: target.project,
    plan: JOB,
    program: { argv: ['true'], directory: '/' },
    shape: { nodes: 1, processesPerNode: 1 },
  },
  storePlan: JOB,
  createDeployment: { name: target.deployment, project: target.project, spec: { replicas: 1 }, revision: REVISION },
  changeDeployment: { spec: { replicas: 1 } },
  createRevision: REVISION,
  orderRollout: { do: 'promote' },
  recordDrill: { tier: 'warm', from: 2, to: 1 },
  drainNode: { reason: 'theft' },
  createToken: { name: 'theft', role: 'member', projects: [target.project] },
  setSecret: { value: 'replaced by another team' },
  configureGateways: { tenants: {}, keys: [] },
  setBudget: { limit_usd: 1_000_000 },
  // Complete, so that they are refused for who asks and not for what is asked.
  certifyGateway: { request: CERTIFICATE_REQUEST, addresses: ['10.77.0.1'] },
  issueCertificate: { request: CERTIFICATE_REQUEST, name: 'theft', addresses: ['10.77.0.1'] },
  syncGateway: { boot: 'theft', version: -1, pools: [], replicas: [] },
  shareQuota: { boot: 'theft', started_at: 1, applied: 0, demand: {} },
  reportProfiles: { boot: 'theft', windows: [] },
  registerArtifact: { manifest: MANIFEST },
  makeArtifact: { manifest: MANIFEST },
  setArtifactName: { artifact: 'corpus' },
  decideModel: { answer: 'refused', seen: 0, why: 'theft' },
  replaceTeams: { administrators: [], teams: [] },
})

/** Where a project is named by the query, it is the other's; others are complete, so that they are refused for who asks. */
const QUERIES = (target: Belongings): Readonly<Record<string, string>> => ({
  storePlan: `?project=${target.project}`,
  listRuns: `?project=${target.project}`,
  getArtifactFile: '?path=a.jsonl',
})

const PARAMETERS = (target: Belongings, url: string): Readonly<Record<string, string>> => ({
  id: url.includes('/plans/') ? target.plan : url.includes('/tokens/') ? target.token : target.run,
  attempt: '1',
  project: target.project,
  replica: String(target.replica),
  tenant: target.tenant,
  name: url.includes('/secrets/')
    ? target.secret
    : url.includes('/budgets/')
      ? target.budget
      : url.includes('/gateways/')
        ? target.gateway
        : url.includes('/nodes/')
          ? 'n1'
          : target.deployment,
})

export async function tryEveryOperation(site: Site, token: string, target: Belongings): Promise<readonly Attempt[]> {
  const attempts: Attempt[] = []
  const { signOut, ...others } = OPERATIONS
  for (const { id, method, url } of [...Object.values(others), signOut]) {
    const parameters = PARAMETERS(target, url)
    const path = `${url.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? 'x'))}${QUERIES(target)[id] ?? ''}`
    const body = BODIES(target)[id] ?? (method === 'GET' || method === 'DELETE' ? undefined : {})
    const { status, text, request } = await site.ask({ path, method, token, ...(body !== undefined && { body }) })
    attempts.push({ operation: id, status, verdict: verdictOf(status), request, text })
  }
  return attempts
}

const verdictOf = (status: number): Verdict => {
  if (status === 401 || status === 403 || status === 404) return 'refused'
  return status >= 400 ? 'invalid' : 'answered'
}
