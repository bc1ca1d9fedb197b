// `npm run e2e:journey`: an ML engineer plans, a platform engineer runs and operates, a serving engineer deploys, each by the commands of the audit
// that found where new users stumble. `npm run e2e:journey -- platform-engineer` plays one of them.

import { Shell } from '../terminal/shell.ts'
import { Journey, type Met } from './journey.ts'
import { mlEngineer } from './ml-engineer.ts'
import { platformEngineer } from './platform-engineer.ts'
import { servingEngineer } from './serving-engineer.ts'

const USERS: Readonly<Record<string, (journey: Journey) => Promise<void>>> = {
  'ml-engineer': mlEngineer,
  'platform-engineer': platformEngineer,
  'serving-engineer': servingEngineer,
}

const chosen = process.argv.slice(2)
const unknown = chosen.filter((name) => !(name in USERS))
if (unknown.length > 0) throw new Error(`there is no user ${unknown.join(', ')}; known are ${Object.keys(USERS).join(', ')}`)

const began = performance.now()
const shells: Shell[] = []
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void Promise.all(shells.map((shell) => shell.close())).finally(() => process.exit(130)))

const played = await Promise.all(
  Object.entries(USERS)
    .filter(([name]) => chosen.length === 0 || chosen.includes(name))
    .map(([name, play]) => playedBy(name, play)),
)
const met = played.flatMap((each) => each.met)
const stopped = played.flatMap(({ problem }) => problem ?? [])
console.log(tableOf(met))
for (const { user, at, why } of met.filter(({ verdict }) => verdict === 'left')) console.log(`left, ${user} ${at}: ${why}`)
for (const problem of stopped) console.log(`FAILED: ${problem}`)
const failed = met.filter(({ verdict }) => verdict === 'FAILED').length + stopped.length
const count = (verdict: Met['verdict']): number => met.filter((each) => each.verdict === verdict).length
console.log(`${((performance.now() - began) / 1000).toFixed(0)} s in all: ${count('gone')} gone, ${count('left')} left, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

type Played = { readonly met: readonly Met[]; readonly problem?: string }

/** A user who cannot go on does not keep the others from it. */
async function playedBy(name: string, play: (journey: Journey) => Promise<void>): Promise<Played> {
  const shell = await Shell.open()
  shells.push(shell)
  const journey = new Journey(name, shell)
  const problem = await play(journey).then(
    () => undefined,
    (cause: unknown) => `${name} cannot go on: ${cause instanceof Error ? cause.message : String(cause)}`,
  )
  await shell.close()
  return { met: journey.met, ...(problem !== undefined && { problem }) }
}

function tableOf(stumbles: readonly Met[]): string {
  const width = (key: 'user' | 'at' | 'was'): number => Math.max(...stumbles.map((each) => each[key].length))
  const [users, places, words] = [width('user'), width('at'), width('was')]
  return stumbles
    .map(({ user, at, was, verdict, seconds }) =>
      [user.padEnd(users), at.padEnd(places), was.padEnd(words), verdict.padEnd(6), `${seconds.toFixed(1).padStart(6)} s`].join('  '),
    )
    .join('\n')
}
