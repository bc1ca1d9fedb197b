// A site of two teams: a Slurm cluster, PostgreSQL, a control plane and a gateway on an address beyond loopback, and a Unix user for each team.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { identityProviderBed, PUBLIC_CLIENT } from '../../../packages/effects/control/test/identity-provider.ts'
import { sparePorts } from '../../../tools/testbed/ports.ts'
import { startTestbed, type Testbed } from '../../../tools/testbed/testbed.ts'
import { Site, SITE_ADDRESS } from './site.ts'
import { makeUser, removeUser, type UnixUser } from './unix-users.ts'

const ROOT = join(import.meta.dirname, '../../..')
const START_MS = 60_000

class Program {
  readonly #child: ChildProcess
  #output = ''

  private constructor(child: ChildProcess) {
    this.#child = child
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part: Buffer) => (this.#output += String(part)))
  }

  static async start(argv: readonly string[], env: NodeJS.ProcessEnv, ready: string): Promise<Program> {
    const program = new Program(spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'pipe'] }))
    for (const deadline = Date.now() + START_MS; !program.#output.includes(ready); await pause(20))
      if (Date.now() > deadline || program.#child.exitCode !== null) throw new Error(`${argv[0]} did not start: ${program.#output}`)
    return program
  }

  get output(): string {
    return this.#output
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.kill('SIGTERM')
    await once(this.#child, 'exit')
  }
}

export type IdentityBed = {
  readonly testbed: Testbed
  readonly users: readonly [UnixUser, UnixUser]
  readonly directory: string
  readonly runs: string
  readonly control: Site
  readonly controlUrl: string
  readonly ca: string
  readonly admin: string
  readonly programs: readonly Program[]
  readonly startGateway: (token: string) => Promise<{ readonly site: Site; readonly url: string; readonly program: Program }>
  readonly stop: () => Promise<void>
}

export const TEAMS = ['red', 'blue'] as const

export async function startIdentityBed(): Promise<IdentityBed> {
  const users = [makeUser('ironlaw-e2e-red'), makeUser('ironlaw-e2e-blue')] as const
  const testbed = await startTestbed({ nodes: 3 })
  const directory = testbed.dir
  const inside = (name: string): string => join(directory, name)
  // Users pass through to their own runs; the runs' directory itself is not theirs to list.
  mkdirSync(inside('runs'), { mode: 0o711 })
  chmodSync(directory, 0o711)
  const port = await sparePorts(3)
  const controlUrl = `https://${SITE_ADDRESS}:${port}`
  const provider = await identityProviderBed({ publicUrl: controlUrl })
  const flags = {
    database: testbed.pgUrl,
    executor: 'slurm',
    listen: `${SITE_ADDRESS}:${port}`,
    runs: inside('runs'),
    logs: inside('logs'),
    context: inside('context.json'),
    'job-users': users.map(({ name }) => name).join(','),
    'public-url': controlUrl,
    'oidc-issuer': provider.issuer,
    'oidc-client-id': PUBLIC_CLIENT,
    'oidc-scopes': 'openid profile groups',
    'audit-to': `file:${inside('heads.jsonl')}`,
  }
  const argv = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])
  const env = { ...process.env, ...testbed.env, HOME: inside('home') }
  const plane = await Program.start([join(ROOT, 'packages/apps/server/src/main.ts'), ...argv, '--no-console-build'], env, 'listening on')
  const { token: admin, ca }: { token: string; ca: string } = JSON.parse(readFileSync(inside('context.json'), 'utf8'))
  const control = new Site(controlUrl, ca)
  const programs = [plane]

  return {
    testbed,
    users,
    directory,
    runs: inside('runs'),
    control,
    controlUrl,
    ca,
    admin,
    programs,
    startGateway: async (token) => {
      const url = `https://${SITE_ADDRESS}:${port + 1}`
      const state = inside('gateway')
      mkdirSync(state, { recursive: true })
      const gatewayFlags = ['--control', controlUrl, '--id', 'g1', '--state', state, '--host', SITE_ADDRESS, '--port', String(port + 1)]
      const main = join(ROOT, 'packages/effects/gateway/src/main.ts')
      const gatewayEnv = { ...process.env, IRONLAW_TOKEN: token, IRONLAW_CA: ca }
      const program = await Program.start([main, ...gatewayFlags, '--admin-port', String(port + 2)], gatewayEnv, 'gateway at')
      programs.unshift(program)
      return { site: new Site(url, ca), url, program }
    },
    stop: async () => {
      control.close()
      for (const program of programs) await program.stop()
      await provider.close()
      await testbed.stop()
      for (const { name } of users) removeUser(name)
    },
  }
}
