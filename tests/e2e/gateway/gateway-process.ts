// A gateway as the process that people run, so that a test sees whether it lives on.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../../..')
const READY_WITHIN_MS = 30_000

export type GatewayProcess = {
  readonly url: string
  readonly adminUrl: string
  readonly child: ChildProcess
  /** All that it has printed. */
  readonly output: () => string
  readonly metrics: () => Promise<string>
  readonly stop: () => Promise<void>
}

export type ProcessOptions = {
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly nodeFlags?: readonly string[]
  /** The checkout whose gateway is started; this one where absent. */
  readonly root?: string
}

export async function startGatewayProcess(snapshot: object, options: ProcessOptions = {}): Promise<GatewayProcess> {
  const { flags = [], env = {}, nodeFlags = [], root = ROOT } = options
  const directory = mkdtempSync(join(tmpdir(), 'ironlaw-gateway-'))
  const file = join(directory, 'gateway.json')
  writeFileSync(file, JSON.stringify(snapshot))
  const main = join(root, 'packages/effects/gateway/src/main.ts')
  const argv = [
    ...nodeFlags,
    main,
    // Its former name, which older checkouts know as well.
    '--snapshot',
    file,
    '--state',
    directory,
    '--port',
    '0',
    '--admin-port',
    '0',
    '--drain-s',
    '1',
    ...flags,
  ]
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  let printed = ''
  const ready = Promise.withResolvers<readonly [string, string]>()
  const take = (data: Buffer): void => {
    printed += data.toString()
    const [, url, adminUrl] = /gateway at (\S+), health and metrics at (\S+)/.exec(printed) ?? []
    if (url !== undefined && adminUrl !== undefined) ready.resolve([url, adminUrl])
  }
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  const exited = new Promise<void>((done) => child.once('exit', () => done()))
  void exited.then(() => ready.reject(new Error(`the gateway ended: ${printed}`)))
  const late = setTimeout(() => ready.reject(new Error(`the gateway was not ready within ${READY_WITHIN_MS} ms`)), READY_WITHIN_MS)
  const [url, adminUrl] = await ready.promise.finally(() => clearTimeout(late))
  return {
    url,
    adminUrl,
    child,
    output: () => printed,
    metrics: async () => (await fetch(`${adminUrl}/metrics`)).text(),
    stop: async () => {
      child.kill('SIGKILL')
      await exited
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
