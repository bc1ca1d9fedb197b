// A control plane as far as it takes profiles: it keeps the newest totals of each process and window, and adds them up.

import { createServer } from 'node:http'
import { PROFILE_REPORT, type Profile, type ProfileReport } from '@ironlaw/contracts/profile'
import { mergeProfiles } from '@ironlaw/policies/profile'

export type ProfileControl = {
  readonly url: string
  /** Bodies as they came. */
  readonly bodies: string[]
  readonly tokens: (string | undefined)[]
  readonly reports: ProfileReport[]
  /** Of the next requests: a status, `lost` when taken but not acknowledged; 204 when there are no more. */
  readonly answers: (number | 'lost')[]
  readonly total: (pool: string, tenantClass?: string) => Profile
  readonly stop: () => Promise<void>
}

export async function startProfileControl(): Promise<ProfileControl> {
  const [bodies, tokens, reports]: [string[], (string | undefined)[], ProfileReport[]] = [[], [], []]
  const answers: (number | 'lost')[] = []
  const kept = new Map<string, ProfileReport['windows'][number]>()
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const next = answers.shift() ?? 204
      tokens.push(request.headers.authorization)
      if (next === 'lost' || next === 204) {
        const body = Buffer.concat(parts).toString('utf8')
        const report = PROFILE_REPORT.parse(JSON.parse(body))
        bodies.push(body)
        reports.push(report)
        for (const window of report.windows) kept.set(JSON.stringify([report.boot, window.pool, window.class, window.hour]), window)
      }
      if (next === 'lost') response.destroy()
      else response.writeHead(next).end()
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const total = (pool: string, tenantClass?: string): Profile =>
    mergeProfiles(
      [...kept.values()]
        .filter((window) => window.pool === pool && (tenantClass === undefined || window.class === tenantClass))
        .map(({ profile }) => profile),
    )
  const stop = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/v1/gateways/g/profiles`,
    bodies,
    tokens,
    reports,
    answers,
    total,
    stop,
  }
}
