// The whole way of a request with real parts: an exported model, three engines, two gateways, PostgreSQL; the official client, a noisy tenant,
// faults under load. `npm run e2e:gateway`; E2E_SMALL=1 is the short version for every change.

import { Deployment, MODEL } from './deployment.ts'
import { faultsUnderLoad } from './faults-under-load.ts'
import { measureNoisyTenant } from './noisy-tenant.ts'
import { testOfficialClient } from './official-client.ts'
import { KEY, OTHER_KEY } from '../../../packages/effects/gateway/test/setting.ts'

const small = process.env['E2E_SMALL'] !== undefined
const times = small ? { calm_s: 4, databaseAway_s: 10, workers: 8 } : { calm_s: 15, databaseAway_s: 60, workers: 16 }
const noise = small ? { spell_s: 1, spells: 6, perSecond: 10 } : { spell_s: 2, spells: 15, perSecond: 20 }

const startedAt = performance.now()
const say = (lines: readonly string[]): void => {
  for (const line of lines) console.log(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${line}`)
}
const deployment = new Deployment()
try {
  await deployment.start()
  say([`${deployment.engines.length} engines, ${deployment.gateways.length} gateways and PostgreSQL are up`])
  say(await testOfficialClient(deployment))
  say(
    await measureNoisyTenant({
      port: Number(new URL(deployment.gateways[0]?.url ?? '').port),
      model: MODEL,
      quiet: { key: KEY, perSecond: noise.perSecond },
      noisy: { key: OTHER_KEY, quota: 60 },
      ...noise,
    }),
  )
  say(await faultsUnderLoad(deployment, times))
} catch (cause) {
  for (const name of ['engine-0', 'engine-1', 'engine-2', 'gateway-0', 'gateway-1'])
    console.error(`--- ${name}\n${deployment.log(name).slice(-2000)}`)
  console.error(cause)
  process.exitCode = 1
} finally {
  await deployment.end()
}
say(['done'])
