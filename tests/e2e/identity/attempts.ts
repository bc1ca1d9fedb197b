// What one team gets of the other: its people, its jobs and its user on the cluster, and a gateway that is not the one it says.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { check, say, until } from './checks.ts'
import { type Attempt, tryEveryOperation } from './every-operation.ts'
import type { IdentityBed } from './identity-bed.ts'
import { BUDGET_USD } from './serving.ts'
import { PEOPLE, type Side, signIn } from './sides.ts'
import { replicaOf } from './announcements.ts'
import { runAs } from './unix-users.ts'

export type Opponents = { readonly own: Side; readonly other: Side }

export async function testPeople(bed: IdentityBed, { own, other }: Opponents): Promise<void> {
  const { control } = bed
  // With a session of its own, which the last of them ends.
  const attempts = await tryEveryOperation(control, await signIn(control, PEOPLE[own.team]), other.belongings)
  await checkAttempts(bed, { attempts, other, who: own.team })
  const { state } = await control.get<{ state: string }>({ path: `/v1/runs/${other.belongings.run}`, token: other.token })
  check(!['cancelling', 'cancelled'].includes(state), `the run of ${other.team} is ${state}`)
  const feed = await control.all<object>({ path: '/v1/events', token: own.token })
  const text = JSON.stringify(feed)
  check(feed.length > 0, `${own.team} has no events of its own`)
  for (const name of hiddenNames(other)) check(!text.includes(name), `the events that ${own.team} may read show ${name}`)
  say(`${own.team} reads all ${feed.length} events that it may see: none is of ${other.team}`)
}

/** The token of a job opens its own run, and that of a gateway speaks for that gateway alone. */
export async function testMachines(bed: IdentityBed, { own, other }: Opponents): Promise<void> {
  const { control, admin, runs } = bed
  const run = readFileSync(join(runs, own.belongings.run, 'token'), 'utf8').trim()
  const job = await tryEveryOperation(control, run, other.belongings)
  await checkAttempts(bed, { attempts: job, other, who: `the job of ${own.team}` })
  mustBeRefused(job, ['announce', 'report', 'appendLog'])
  const name = `${own.team}-gateway`
  const body = { name, role: 'gateway', gateway: name }
  const { secret } = await control.get<{ secret: string }>({ path: '/v1/tokens', method: 'POST', token: admin, body })
  const gateway = await tryEveryOperation(control, secret, other.belongings)
  await checkAttempts(bed, { attempts: gateway, other, who: name })
  mustBeRefused(gateway, ['syncGateway', 'shareQuota', 'reportProfiles', 'certifyGateway', 'announce', 'report'])
}

function mustBeRefused(attempts: readonly Attempt[], operations: readonly string[]): void {
  for (const { operation, verdict, status } of attempts)
    check(!operations.includes(operation) || verdict === 'refused', `${operation} is answered with ${status}`)
}

const hiddenNames = ({ belongings }: Side): readonly string[] => [
  belongings.run,
  belongings.deployment,
  belongings.secret,
  belongings.tenant,
  belongings.token,
  belongings.budget,
]

type Tried = { readonly attempts: readonly Attempt[]; readonly other: Side; readonly who: string }

async function checkAttempts({ control, admin }: IdentityBed, { attempts, other, who }: Tried): Promise<void> {
  const by = (verdict: Attempt['verdict']): readonly Attempt[] => attempts.filter((attempt) => attempt.verdict === verdict)
  for (const { operation, text } of by('answered'))
    for (const name of hiddenNames(other)) check(!text.includes(name), `${operation} shows ${name} to ${who}`)
  let missing = by('refused')
  // Refusals are written together, shortly after they were answered.
  await until(
    () => `in the audit: ${missing.map(({ operation, status }) => `${operation} ${status}`).join(', ')}`,
    async () => {
      const records = await control.all<{ request?: string }>({ path: '/v1/audit/records', token: admin })
      const found = new Set(records.map(({ request }) => request))
      missing = missing.filter(({ request }) => !found.has(request))
      return missing.length === 0
    },
  )
  const budget = await control.get<{ limit_usd: number }>({ path: `/v1/budgets/${other.belongings.budget}`, token: admin })
  check(budget.limit_usd === BUDGET_USD, `the budget of ${other.team} is ${budget.limit_usd} USD`)
  const names = (verdict: Attempt['verdict']): string =>
    by(verdict)
      .map(({ operation, status }) => (verdict === 'invalid' ? `${operation} ${status}` : operation))
      .join(', ')
  say(
    `${who} tries all ${attempts.length} operations on ${other.team}: ${by('refused').length} refused, all in the audit; ` +
      `${by('invalid').length} invalid (${names('invalid')}); ${by('answered').length} answered with nothing of the other (${names('answered')})`,
  )
}

/** What a shell of one team's user gets of the other's files. */
export async function testFiles({ control, runs, directory }: IdentityBed, { own, other }: Opponents): Promise<void> {
  const run = join(runs, other.belongings.run)
  const replica = join(runs, 'replicas', (await replicaOf(control, other)).id)
  const attempts = [
    `ls ${runs}`,
    `ls ${run}`,
    `cat ${run}/token`,
    `cat ${run}/link.pem`,
    `cat ${run}/secrets/*`,
    `touch ${run}/completed.json`,
    `ln -s /etc/shadow ${run}/completed.json`,
    `ls ${runs}/replicas`,
    `ls ${replica}`,
    `cat ${replica}/tls/key.pem`,
    `cat ${replica}/secrets/*`,
    `cat ${replica}/endpoint`,
    `echo https://10.77.0.1:1 > ${replica}/endpoint`,
    `echo https://10.77.0.1:1 > ${replica}/endpoint.new && mv ${replica}/endpoint.new ${replica}/endpoint`,
    `cat ${directory}/context.json`,
    `cat ${directory}/authority/ca.key`,
    `cat ${directory}/gateway/tls/key.pem`,
    `cat ${directory}/gateway/token`,
    `cat ${directory}/gateway/certificate.json`,
    `cat ${directory}/secrets.key`,
    `ls ${directory}/logs/*`,
  ]
  const done = attempts.filter((command) => runAs(own.user, command).isDone)
  const looked = [
    ...['token', 'link.pem', 'secrets'].map((name) => join(run, name)),
    ...['endpoint', 'tls/key.pem'].map((name) => join(replica, name)),
    ...['context.json', 'authority/ca.key', 'gateway/tls/key.pem', 'gateway/token', 'gateway/certificate.json', 'secrets.key'].map((name) =>
      join(directory, name),
    ),
  ]
  for (const file of looked) check(existsSync(file), `${file} is not where the test looks`)
  check(done.length === 0, `${own.user.name} may: ${done.join('; ')}`)
  say(`${own.user.name} tries ${attempts.length} ways to the files of ${other.team}: ${attempts.length - done.length} refused`)
}
