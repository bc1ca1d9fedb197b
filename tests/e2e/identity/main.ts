// `npm run e2e:identity`: two teams on one site, each with its own people, Unix user, runs, secrets and deployment. Each tries everything
// against the other; certificates and keys are changed under load; the packets of all of it are searched for what must not be readable.

import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { planId } from '@ironlaw/contracts'
import type { AuditVerdict } from '@ironlaw/contracts/api'
import { Visitor } from '../../../packages/effects/control/test/identity-provider.ts'
import { Capture } from './capture.ts'
import { type Belongings, tryEveryOperation } from './every-operation.ts'
import { type IdentityBed, startIdentityBed, TEAMS } from './identity-bed.ts'
import { enterNamespace, type Site, SITE_ADDRESS } from './site.ts'
import { runAs, type UnixUser } from './unix-users.ts'

enterNamespace(import.meta.filename)

/** People of the identity provider, one of each team. */
const PEOPLE = { red: 'rae', blue: 'ben' } as const
const ENGINE = join(import.meta.dirname, '../serving/engine-program.ts')
/** From the change of the keys to the first refusal at the gateway. */
const REVOKED_WITHIN_S = 2
const WITHIN_MS = 120_000
const failures: string[] = []
const startedAt = Date.now()
const say = (text: string): void => console.log(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${text}`)
const check = (holds: boolean, text: string): void => {
  if (!holds) failures.push(text)
}

/** One team with what it has; all of it must be hidden from the other. */
type Side = {
  readonly team: (typeof TEAMS)[number]
  readonly user: UnixUser
  /** Of an operator in the team's project. */
  readonly token: string
  readonly secretValue: string
  readonly belongings: Belongings
}

const bed = await startIdentityBed()
const capture = await Capture.start(join(bed.directory, 'packets.pcap'), SITE_ADDRESS)
try {
  say('Slurm, PostgreSQL and a control plane beyond loopback are up')
  const [red, blue] = await makeSides(bed)
  await testJobs(bed, [red, blue])
  for (const [own, other] of [
    [red, blue],
    [blue, red],
  ] as const) {
    await testOperations(bed, own, other)
    testFiles(bed, own, other)
  }
  await testServing(bed, [red, blue])
  await testTrail(bed)
  await testPackets([red, blue])
} catch (cause) {
  failures.push(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause))
  for (const program of bed.programs) console.log(program.output.slice(-2000))
} finally {
  await capture.stop()
  await bed.stop()
}
for (const failure of failures) console.log(`FAILED: ${failure}`)
say(failures.length === 0 ? 'all well' : `${failures.length} failures`)
process.exit(failures.length === 0 ? 0 : 1)

async function makeSides({ control, admin, users }: IdentityBed): Promise<readonly [Side, Side]> {
  const teams = TEAMS.map((name, index) => ({
    name,
    projects: [name],
    user: users[index]?.name ?? '',
    members: [{ group: `${name}-people`, role: 'operator' }],
  }))
  await control.get({
    path: '/v1/teams',
    method: 'PUT',
    token: admin,
    body: { administrators: ['platform'], teams },
    headers: { 'if-match': '*' },
  })
  const sides: Side[] = []
  for (const [index, team] of TEAMS.entries()) {
    const user = users[index]
    if (user) sides.push(await makeSide({ control, admin }, team, user))
  }
  const [red, blue] = sides
  if (!red || !blue) throw new Error('there are not two sides')
  say('two teams, each with a token of its project and a secret')
  return [red, blue]
}

async function makeSide(
  { control, admin }: Pick<IdentityBed, 'control' | 'admin'>,
  team: (typeof TEAMS)[number],
  user: UnixUser,
): Promise<Side> {
  const body = { name: `${team}-ci`, role: 'operator', projects: [team] }
  const { id } = await control.get<{ id: string }>({
    path: '/v1/tokens',
    method: 'POST',
    token: admin,
    body,
  })
  const token = await signIn(control, PEOPLE[team])
  const secretValue = `${team}-value-${hash('sha256', token).slice(0, 24)}`
  const path = `/v1/projects/${team}/secrets/${team}-hub`
  await control.get({ path, method: 'PUT', token, body: { value: secretValue } })
  const plan = { apiVersion: 'ironlaw/v1', kind: 'Job', name: `${team}-job`, processes: 1 }
  const script = 'id -un; printf "got %s\\n" "$(cat "$HUB_FILE")"; sleep 1000'
  const created = await control.get<{ id: string; plan: string }>({
    path: '/v1/runs',
    method: 'POST',
    token,
    body: {
      name: `${team}-job`,
      project: team,
      plan: { ...plan, id: planId(plan) },
      program: { argv: ['sh', '-c', script], directory: '/', secrets: { HUB: `${team}-hub` } },
      shape: { nodes: 1, processesPerNode: 1 },
    },
  })
  const environment = { E2E_HOST: SITE_ADDRESS }
  const revision = { model: 'm', argv: [process.execPath, ENGINE], directory: '/', environment, secrets: { HUB: `${team}-hub` } }
  const deployment = { name: `${team}-chat`, project: team, spec: { replicas: 1 }, revision }
  await control.get({ path: '/v1/deployments', method: 'POST', token, body: deployment })
  const belongings = {
    project: team,
    run: created.id,
    plan: created.plan,
    deployment: `${team}-chat`,
    replica: 1,
    secret: `${team}-hub`,
    tenant: `${team}-tenant`,
    token: id,
    gateway: 'g1',
  }
  return { team, user, token, secretValue, belongings }
}

/** As "ironlaw login" does: a code of the provider, confirmed in a browser elsewhere. */
async function signIn(control: IdentityBed['control'], person: string): Promise<string> {
  type Device = { readonly device_code: string; readonly verification_uri_complete: string }
  const device = await control.get<Device>({ path: '/v1/sign-in/device', method: 'POST', body: {} })
  await new Visitor().signInAt(device.verification_uri_complete, person)
  const body = { device_code: device.device_code }
  const { token } = await control.get<{ token: string }>({ path: '/v1/sign-in/device/token', method: 'POST', body })
  return token
}

async function until(what: string | (() => string), holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + WITHIN_MS; !(await holds()); await pause(100))
    if (Date.now() > deadline) throw new Error(`waited in vain: ${typeof what === 'string' ? what : what()}`)
}

/** Each job runs as its team's user and has its secret, which its log does not show. */
async function testJobs({ control }: IdentityBed, sides: readonly Side[]): Promise<void> {
  for (const { team, user, token, secretValue, belongings } of sides) {
    const log = async (): Promise<string> => (await control.ask({ path: `/v1/runs/${belongings.run}/logs`, token })).text
    await until(`the log of ${belongings.run}`, async () => (await log()).includes('got '))
    const text = await log()
    check(text.startsWith(`${user.name}\n`), `the job of ${team} does not run as ${user.name}: ${text}`)
    check(text.includes('got ***'), `the log of ${team} does not show the place of its secret: ${text}`)
    check(!text.includes(secretValue), `the log of ${team} shows its secret`)
  }
  say('each job runs as its team with its secret, which its log does not show')
}

async function testOperations({ control, admin }: IdentityBed, own: Side, other: Side): Promise<void> {
  // With a session of its own, which the last of them ends.
  const attempts = await tryEveryOperation(control, await signIn(control, PEOPLE[own.team]), other.belongings)
  const hidden = [
    other.belongings.run,
    other.belongings.deployment,
    other.belongings.secret,
    other.belongings.tenant,
    other.belongings.token,
  ]
  const by = (verdict: string): typeof attempts => attempts.filter((attempt) => attempt.verdict === verdict)
  for (const { operation, text } of by('answered'))
    for (const name of hidden) check(!text.includes(name), `${operation} shows ${name} to ${own.team}`)
  // Refusals are written together, shortly after they were answered.
  let missing = by('refused')
  for (const deadline = Date.now() + 5000; missing.length > 0 && Date.now() < deadline; await pause(100)) {
    const found = await recordedRequests(control, admin)
    missing = missing.filter(({ request }) => !found.has(request))
  }
  check(missing.length === 0, `not in the audit: ${missing.map(({ operation, status }) => `${operation} ${status}`).join(', ')}`)
  const { state } = await control.get<{ state: string }>({ path: `/v1/runs/${other.belongings.run}`, token: other.token })
  check(!['cancelling', 'cancelled'].includes(state), `the run of ${other.team} is ${state}`)
  say(
    `${own.team} asks all ${attempts.length} operations about ${other.team}: ${by('refused').length} refused, all in the audit; ` +
      `${by('invalid').length} invalid (${by('invalid')
        .map(({ operation, status }) => `${operation} ${status}`)
        .join(', ')}); ` +
      `${by('answered').length} answered with nothing of the other (${by('answered')
        .map(({ operation }) => operation)
        .join(', ')})`,
  )
}

async function recordedRequests(control: IdentityBed['control'], token: string): Promise<ReadonlySet<string>> {
  const records = await control.all<{ request?: string }>({ path: '/v1/audit/records', token })
  return new Set(records.flatMap(({ request }) => (request === undefined ? [] : [request])))
}

/** What a shell of one team's user gets of the other's files. */
function testFiles({ runs, directory }: IdentityBed, own: Side, other: Side): void {
  const run = join(runs, other.belongings.run)
  const attempts = [
    `ls ${runs}`,
    `ls ${run}`,
    `cat ${run}/token`,
    `cat ${run}/link.pem`,
    `cat ${run}/secrets/*`,
    `touch ${run}/completed.json`,
    `ln -s /etc/shadow ${run}/completed.json`,
    `cat ${directory}/context.json`,
    `cat ${directory}/authority/ca.key`,
    `cat ${directory}/home/.ironlaw/secrets.key ${directory}/secrets.key`,
    `ls ${directory}/logs/*`,
  ]
  const done = attempts.filter((command) => runAs(own.user, command).isDone)
  check(existsSync(join(run, 'token')), `${run}/token is not where the test looks`)
  check(done.length === 0, `${own.user.name} may: ${done.join('; ')}`)
  say(`${own.user.name} tries ${attempts.length} ways to the files of ${other.team}: ${attempts.length - done.length} refused`)
}

/** A gateway with a certificate of the site serves both teams' models over mutual TLS, while keys and tokens change. */
async function testServing({ control, admin, startGateway }: IdentityBed, sides: readonly Side[]): Promise<void> {
  for (const { belongings, token } of sides)
    await until(`${belongings.deployment} serves`, async () => {
      const { serving } = await control.get<{ serving: number }>({ path: `/v1/deployments/${belongings.deployment}`, token })
      return serving === 1
    })
  const [{ team }] = sides as [Side]
  const { replicas } = await control.get<{ replicas: readonly { url?: string }[] }>({ path: `/v1/deployments/${team}-chat`, token: admin })
  check(
    replicas.every(({ url = '' }) => url.startsWith(`https://${SITE_ADDRESS}`)),
    `replicas are at ${JSON.stringify(replicas)}`,
  )
  await configureKeys({ control, admin }, sides)
  const body = { name: 'g1', role: 'gateway', gateway: 'g1' }
  const { secret } = await control.get<{ secret: string }>({ path: '/v1/tokens', method: 'POST', token: admin, body })
  const gateway = await startGateway(secret)
  for (const side of sides) {
    let last = ''
    await until(
      () => `the gateway serves ${side.team}: ${last}`,
      async () => {
        const { status, text } = await complete(gateway.site, side)
        last = `${status} ${text}`
        return status === 200
      },
    )
  }
  const [red, blue] = sides as [Side, Side]
  const stolen = await complete(gateway.site, { ...red, belongings: blue.belongings })
  check(stolen.status >= 400, `the key of red asks the model of blue: ${stolen.status}`)
  say(`both teams' models answer through a gateway over mutual TLS; a key of one team is refused the model of the other (${stolen.status})`)
  await testRevocation({ control, admin, gateway: gateway.site }, sides)
  gateway.site.close()
}

function keyOf({ team, secretValue }: Side): string {
  return `sk-${team}-${hash('sha256', secretValue).slice(0, 32)}`
}

function promptOf({ team, secretValue }: Side): string {
  return `${team} asks ${hash('sha256', secretValue).slice(32)}`
}

async function complete(gateway: Site, side: Side): Promise<{ readonly status: number; readonly text: string }> {
  const body = { model: side.belongings.deployment, prompt: promptOf(side), max_tokens: 4 }
  return gateway.ask({ path: '/v1/completions', method: 'POST', token: keyOf(side), body })
}

async function configureKeys({ control, admin }: Pick<IdentityBed, 'control' | 'admin'>, sides: readonly Side[]): Promise<void> {
  const tenants = Object.fromEntries(TEAMS.map((team) => [`${team}-tenant`, {}]))
  const keys = sides.map((side) => ({
    sha256: hash('sha256', keyOf(side)),
    tenant: side.belongings.tenant,
    models: [side.belongings.deployment],
    log: 'none',
  }))
  await control.get({ path: '/v1/gateway-config', method: 'PUT', token: admin, body: { tenants, keys }, headers: { 'if-match': '*' } })
}

type Serving = Pick<IdentityBed, 'control' | 'admin'> & { readonly gateway: Site }

async function testRevocation({ control, admin, gateway }: Serving, [red, blue]: readonly Side[]): Promise<void> {
  if (!red || !blue) return
  await configureKeys({ control, admin }, [blue])
  const revokedAt = Date.now()
  await until('the revoked key is refused', async () => (await complete(gateway, red)).status === 401)
  const took_s = (Date.now() - revokedAt) / 1000
  check(took_s <= REVOKED_WITHIN_S, `a revoked key was refused after ${took_s} s`)
  check((await complete(gateway, blue)).status === 200, 'the key that stays is refused')
  say(`a revoked key is refused after ${took_s.toFixed(2)} s`)
}

async function testTrail({ control, admin }: IdentityBed): Promise<void> {
  const items = await control.all<AuditVerdict>({ path: '/v1/audit', token: admin })
  check(
    items.length > 0 && items.every(({ intact }) => intact),
    `the trail is not intact: ${JSON.stringify(items.filter(({ intact }) => !intact))}`,
  )
  say(`the audit trail of ${items.length} streams is intact`)
}

async function testPackets(sides: readonly Side[]): Promise<void> {
  const streams = await capture.stop()
  const bytes = streams.reduce((sum, stream) => sum + stream.length, 0)
  const needles = new Map([
    ["the administrator's token", bed.admin],
    ...sides.flatMap(({ team, token, secretValue }) => [
      [`the token of ${team}`, token] as const,
      [`the secret of ${team}`, secretValue] as const,
    ]),
    ...sides.flatMap((side) => [[`a key of ${side.team}`, keyOf(side)] as const, [`a prompt of ${side.team}`, promptOf(side)] as const]),
    ['a header with a token', 'authorization: Bearer'],
    ['a report of an agent', '"beats"'],
  ])
  check(bytes > 100_000, `only ${bytes} bytes were captured`)
  for (const [what, needle] of needles) check(!streams.some((stream) => stream.includes(needle)), `${what} crossed the network in clear`)
  say(`${streams.length} streams with ${(bytes / 1e6).toFixed(1)} MB captured: none of ${needles.size} secrets in clear`)
}
