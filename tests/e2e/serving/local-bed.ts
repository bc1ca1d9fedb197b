// A control plane whose jobs are processes of this machine, with a gateway that follows it, all in this process but the engines.

import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { NewRevision } from '@ironlaw/contracts/deployment-api'
import { localExecutor } from '@ironlaw/executors/local'
import { type Gateway, ProfileClient, SnapshotSource, startGateway } from '@ironlaw/gateway'
import { startServer } from '@ironlaw/server'
import { PlaneApi } from './plane-api.ts'

export const KEY = 'sk-e2e'
const CLI = join(import.meta.dirname, '../../../packages/apps/cli/src/main.ts')
const run = promisify(execFile)

export const LOCAL_REVISION: NewRevision = {
  model: 'm',
  argv: [process.execPath, join(import.meta.dirname, 'engine-program.ts')],
  directory: import.meta.dirname,
  environment: {},
  processes: 1,
  max_running: 8,
}

export type LocalBed = {
  readonly plane: PlaneApi
  readonly gateway: Gateway
  /** Files of the test, and where the command line runs. */
  readonly directory: string
  readonly command: (...args: readonly string[]) => Promise<string>
  readonly stop: () => Promise<void>
}

/** As people use it, with the context that the control plane left here. */
const commandIn =
  (directory: string) =>
  async (...args: readonly string[]): Promise<string> => {
    const env = { ...process.env, IRONLAW_CONTEXT: join(directory, 'context.json') }
    const { stdout } = await run(process.execPath, [CLI, ...args], { cwd: directory, env })
    return stdout
  }

export async function startLocalBed(): Promise<LocalBed> {
  const directory = mkdtempSync(join(tmpdir(), 'ironlaw-serving-'))
  const environment = { PATH: process.env['PATH'] ?? '' }
  const server = await startServer({
    database: 'memory',
    listen: { host: '127.0.0.1', port: 0 },
    executor: localExecutor({ directory: join(directory, 'jobs'), fleet: { nodes: ['n1'], slots: 8 }, environment }),
    cluster: 'local',
    site: { runs: join(directory, 'runs'), python: 'python3' },
    logDirectory: join(directory, 'logs'),
    artifacts: join(directory, 'artifacts'),
    contextFile: join(directory, 'context.json'),
    logTo: { write: () => undefined },
  })
  const plane = new PlaneApi(join(directory, 'context.json'))
  const command = commandIn(directory)
  const keys = [{ sha256: hash('sha256', KEY), tenant: 'one' }]
  writeFileSync(join(directory, 'access.json'), JSON.stringify({ apiVersion: 'ironlaw/v1', kind: 'Access', tenants: { one: {} }, keys }))
  await command('apply', 'access.json', '-y')
  const { secret: token }: { secret: string } = JSON.parse(await command('token', 'create', 'g1', '--role', 'gateway', '--json'))
  const { api } = plane.context
  const told: { gateway?: Gateway } = {}
  const source = new SnapshotSource({
    source: `${api}/v1/gateways/g1/sync`,
    keepAt: join(directory, 'last-snapshot.json'),
    every_ms: 200,
    token: () => token,
    report: () => ({ boot: 'one', ...(told.gateway?.totals() ?? { pools: [], replicas: [] }) }),
  })
  const gateway = (told.gateway = await startGateway({ snapshot: await source.first(), profiling: {} }))
  source.watch(gateway.apply, () => undefined)
  const windows = gateway.profiles
  if (!windows) throw new Error('the gateway counts no profiles')
  const profiles = new ProfileClient({
    url: `${api}/v1/gateways/g1/profiles`,
    token: () => token,
    boot: 'one',
    windows,
    onFault: console.error,
    every_ms: 500,
  })
  profiles.watch()
  const stop = async (): Promise<void> => {
    source.stop()
    await profiles.leave()
    await gateway.stop({ drain_s: 0 })
    await server.close()
    rmSync(directory, { recursive: true, force: true })
  }
  return { plane, gateway, directory, command, stop }
}
