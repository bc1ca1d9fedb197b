// A site of two teams: a Slurm cluster, PostgreSQL, a control plane and a gateway on an address beyond loopback, and a Unix user for each team.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openAuthority, trustAuthority } from '@ironlaw/certificates'
import { identityProviderBed, PUBLIC_CLIENT } from '../../../packages/effects/control/test/identity-provider.ts'
import { sparePorts } from '../../../tools/testbed/ports.ts'
import { startTestbed, type Testbed } from '../../../tools/testbed/testbed.ts'
import { type CertificateFiles, certificateFiles, replaceCertificate, replaceFile, writeCertificate } from './certificate-files.ts'
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

type GatewayToken = { readonly id: string; readonly secret: string }

export type RunningGateway = {
  readonly site: Site
  readonly url: string
  readonly program: Program
  readonly token: GatewayToken
  readonly tokenFile: string
  readonly files: CertificateFiles
}

export type IdentityBed = {
  readonly testbed: Testbed
  readonly users: readonly [UnixUser, UnixUser]
  readonly directory: string
  readonly runs: string
  readonly control: Site
  readonly controlUrl: string
  /** Of the certificate that the control API serves with. */
  readonly controlFiles: CertificateFiles
  readonly ca: string
  readonly admin: string
  readonly programs: readonly Program[]
  readonly startGateway: (token: GatewayToken) => Promise<RunningGateway>
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
  const provider = await startProvider(inside('identity-provider'), controlUrl)
  const controlFiles = certificateFiles(inside('control-tls'))
  const site = await openAuthority(inside('authority'))
  writeCertificate(controlFiles, await site.issue({ holder: 'control plane', names: [], addresses: [SITE_ADDRESS], usage: 'server' }))
  const plane = await startControlPlane({ testbed, users, provider, port, controlFiles })
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
    controlFiles,
    ca,
    admin,
    programs,
    startGateway: async (token) => {
      const gateway = await startGatewayProgram(token, {
        control,
        controlUrl,
        admin,
        ca,
        state: inside('gateway'),
        port: port + 1,
        database: testbed.pgUrl,
      })
      programs.unshift(gateway.program)
      return gateway
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

type PlaneParts = Pick<IdentityBed, 'testbed' | 'users' | 'controlFiles'> & {
  readonly provider: { readonly issuer: string; readonly ca: string }
  readonly port: number
}

async function startControlPlane({ testbed, users, provider, port, controlFiles }: PlaneParts): Promise<Program> {
  const inside = (name: string): string => join(testbed.dir, name)
  const flags = {
    database: testbed.pgUrl,
    executor: 'slurm',
    listen: `${SITE_ADDRESS}:${port}`,
    'tls-cert': controlFiles.cert,
    'tls-key': controlFiles.key,
    'tls-ca': inside('authority/ca.pem'),
    runs: inside('runs'),
    logs: inside('logs'),
    context: inside('context.json'),
    'job-users': users.map(({ name }) => name).join(','),
    'public-url': `https://${SITE_ADDRESS}:${port}`,
    'oidc-issuer': provider.issuer,
    'oidc-client-id': PUBLIC_CLIENT,
    'oidc-scopes': 'openid profile groups',
    'audit-to': `file:${inside('heads.jsonl')}`,
  }
  const argv = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])
  const env = { ...process.env, ...testbed.env, HOME: inside('home'), NODE_EXTRA_CA_CERTS: provider.ca }
  return Program.start([join(ROOT, 'packages/apps/server/src/main.ts'), ...argv, '--no-console-build'], env, 'listening on')
}

type GatewayPlace = Pick<IdentityBed, 'control' | 'controlUrl' | 'admin' | 'ca'> & {
  readonly state: string
  readonly port: number
  readonly database: string
}

/** With certificate and token in files, so that both can be replaced. */
async function startGatewayProgram(token: GatewayToken, place: GatewayPlace): Promise<RunningGateway> {
  const { controlUrl, ca, state, port, database } = place
  const url = `https://${SITE_ADDRESS}:${port}`
  const files = certificateFiles(join(state, 'tls'))
  await replaceCertificate(place, files, { name: 'g1', address: SITE_ADDRESS })
  const tokenFile = join(state, 'token')
  replaceFile(tokenFile, `${token.secret}\n`)
  const flags = {
    control: controlUrl,
    'token-file': tokenFile,
    id: 'g1',
    state,
    host: SITE_ADDRESS,
    port: String(port),
    'admin-port': String(port + 1),
    'tls-cert': files.cert,
    'tls-key': files.key,
  }
  const argv = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])
  const main = join(ROOT, 'packages/effects/gateway/src/main.ts')
  const program = await Program.start([main, ...argv], { ...process.env, IRONLAW_CA: ca, IRONLAW_GATEWAY_DATABASE: database }, 'gateway at')
  return { site: new Site(url, ca), url, program, token, tokenFile, files }
}

/** A provider beyond loopback, whose certificate comes from an authority of its own that the control plane and the people are given. */
async function startProvider(directory: string, publicUrl: string) {
  const authority = await openAuthority(directory)
  trustAuthority(authority.ca)
  const claims = { holder: 'identity provider', names: [], addresses: [SITE_ADDRESS], usage: 'server' } as const
  const provider = await identityProviderBed({ publicUrl, secure: { host: SITE_ADDRESS, ...(await authority.issue(claims)) } })
  return { ...provider, ca: join(directory, 'ca.pem') }
}
