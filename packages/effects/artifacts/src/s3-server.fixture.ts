// A real S3 server (versitygw over a directory) on a port of this machine. It is found in the cache, and built by tools/object-storage.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { StorageRig } from './object-storage.conformance.ts'

const TOOL = join(import.meta.dirname, '../../../../tools/object-storage/main.ts')
const START_MS = 60_000

export function findServer(): { readonly program: string } | { readonly missing: string } {
  const program = execFileSync(process.execPath, [TOOL, 'path'], { encoding: 'utf8' }).trim()
  return existsSync(program)
    ? { program }
    : { missing: `${program} is not there; "node tools/object-storage/main.ts build" builds it with Go` }
}

export async function startServer(program: string): Promise<StorageRig> {
  const folder = mkdtempSync(join(tmpdir(), 's3-'))
  mkdirSync(join(folder, 'data/bucket'), { recursive: true })
  const port = await freePort()
  const credentials = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'secret-of-the-test' }
  const environment = {
    PATH: process.env['PATH'],
    ROOT_ACCESS_KEY: credentials.AWS_ACCESS_KEY_ID,
    ROOT_SECRET_KEY: credentials.AWS_SECRET_ACCESS_KEY,
  }
  const server = spawn(program, ['--port', `127.0.0.1:${port}`, '--quiet', 'posix', join(folder, 'data')], {
    env: environment,
    stdio: 'ignore',
  })
  const exit = once(server, 'exit')
  await answering(`http://127.0.0.1:${port}/`)
  return {
    url: 's3://bucket/a prefix',
    environment: { ...process.env, ...credentials, AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL: `http://127.0.0.1:${port}` },
    stop: async () => {
      server.kill()
      await exit
      rmSync(folder, { recursive: true })
    },
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

async function answering(url: string): Promise<void> {
  for (const until = Date.now() + START_MS; ;) {
    try {
      await fetch(url, { signal: AbortSignal.timeout(1000) })
      return
    } catch (cause) {
      if (Date.now() > until) throw cause
      await delay(50)
    }
  }
}
