// `npm run e2e:identity`: two teams on one site, each with its own people, Unix user, runs, secrets and deployment. Each tries everything
// against the other; certificates and keys are changed under load; the packets of all of it are searched for what must not be readable.

import { join } from 'node:path'
import type { AuditVerdict } from '@ironlaw/contracts/api'
import { testAnnouncements } from './announcements.ts'
import { testFiles, testMachines, testPeople } from './attempts.ts'
import { Capture } from './capture.ts'
import { check, failures, say, until } from './checks.ts'
import { type IdentityBed, startIdentityBed } from './identity-bed.ts'
import { type Rotated, testRotation } from './rotation.ts'
import { keyText, promptOf, startServing, testRevocation } from './serving.ts'
import { makeSides, PEOPLE, type Side } from './sides.ts'
import { enterNamespace, SITE_ADDRESS } from './site.ts'

enterNamespace(import.meta.filename)

const bed = await startIdentityBed()
const capture = await Capture.start(join(bed.directory, 'packets.pcap'), SITE_ADDRESS)
try {
  say('Slurm, PostgreSQL and a control plane beyond loopback are up')
  const [red, blue] = await makeSides(bed)
  await testJobs(bed, [red, blue])
  const gateway = await startServing(bed, [red, blue])
  for (const [own, other] of [
    [red, blue],
    [blue, red],
  ] as const) {
    await testPeople(bed, { own, other })
    await testMachines(bed, { own, other })
    await testFiles(bed, { own, other })
  }
  await testAnnouncements(bed, { own: red, other: blue })
  const rotated = await testRotation({ bed, gateway, sides: [red, blue] })
  const [revoked, staying] = rotated.keys
  if (revoked && staying) await testRevocation(bed, { gateway: gateway.site, revoked, staying })
  gateway.site.close()
  await testTrail(bed)
  await testPackets([red, blue], rotated)
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

async function testTrail({ control, admin }: IdentityBed): Promise<void> {
  const items = await control.all<AuditVerdict>({ path: '/v1/audit', token: admin })
  check(
    items.length > 0 && items.every(({ intact }) => intact),
    `the trail is not intact: ${JSON.stringify(items.filter(({ intact }) => !intact))}`,
  )
  say(`the audit trail of ${items.length} streams is intact`)
}

async function testPackets(sides: readonly Side[], { keys, secrets }: Rotated): Promise<void> {
  const streams = await capture.stop()
  const bytes = streams.reduce((sum, stream) => sum + stream.length, 0)
  const needles = new Map([
    ["the administrator's token", bed.admin],
    ...sides.flatMap(({ team, token, secretValue }) => [
      [`the token of ${team}`, token] as const,
      [`the secret of ${team}`, secretValue] as const,
    ]),
    ...keys.flatMap(({ side, number }) =>
      Array.from({ length: number + 1 }, (_, each) => [`key ${each} of ${side.team}`, keyText({ side, number: each })] as const),
    ),
    ...sides.map((side) => [`a prompt of ${side.team}`, promptOf(side)] as const),
    ...secrets.map((secret, index) => [`token ${index} of the gateway`, secret] as const),
    ...Object.values(PEOPLE).map((person) => [`the sign-in of ${person}`, `login=${person}`] as const),
    ['a header with a token', 'authorization: Bearer'],
    ['a report of an agent', '"beats"'],
  ])
  check(bytes > 100_000, `only ${bytes} bytes were captured`)
  for (const [what, needle] of needles) check(!streams.some((stream) => stream.includes(needle)), `${what} crossed the network in clear`)
  say(`${streams.length} streams with ${(bytes / 1e6).toFixed(1)} MB captured: none of ${needles.size} secrets in clear`)
}
