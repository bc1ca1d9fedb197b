// Starts the engine and the proxies that a measurement compares, each one process with one worker, all on loopback.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { sha256 } from '../../../packages/effects/gateway/test/setting.ts'

export type Proxy = {
  readonly name: string
  readonly port: number
  readonly headers: Readonly<Record<string, string>>
  readonly pid: () => number
  /** Where it speaks TLS: the authority of its certificate, in PEM. */
  readonly ca?: string
}

/** PEM files of a certificate that gateway and engine both serve with and show to each other. */
export type TlsFiles = { readonly cert: string; readonly key: string; readonly ca: string }

const ROOT = resolve(import.meta.dirname, '../../..')
const started: ChildProcess[] = []
const BENCH_KEY = 'sk-bench'

export function stopAll(): void {
  // nginx's master takes its workers along only when it is asked to end.
  for (const child of started.splice(0)) child.kill(child.spawnfile === process.execPath ? 'SIGKILL' : 'SIGTERM')
}

async function run(command: string, { args, port }: { readonly args: readonly string[]; readonly port: number }): Promise<ChildProcess> {
  const child = spawn(command, args, { stdio: 'ignore' })
  started.push(child)
  for (let attempt = 0; attempt < 300; attempt += 1) {
    if (await accepts(port)) return child
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${command} does not listen on ${port}`)
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    setTimeout(() => socket.destroy(), 200)
  })

const folder = mkdtempSync(join(tmpdir(), 'ironlaw-bench-'))

export async function startEngine({
  port,
  pace_ms = 0,
  chunks = 200,
  mutualTls,
}: {
  readonly port: number
  readonly pace_ms?: number
  readonly chunks?: number
  readonly mutualTls?: TlsFiles
}): Promise<ChildProcess> {
  const script = new URL('./bench-engine.ts', import.meta.url).pathname
  const files = mutualTls ? [mutualTls.cert, mutualTls.key, mutualTls.ca] : []
  return run(process.execPath, { args: [script, String(port), String(pace_ms), String(chunks), ...files], port })
}

export type OurOptions = {
  readonly tenants?: object
  readonly root?: string
  readonly name?: string
  /** Clients are served TLS with these. */
  readonly tls?: TlsFiles
  /** The engine asks for the gateway's certificate. */
  readonly isEngineSecure?: boolean
}

export async function startOurs(
  port: number,
  engine: number,
  { tenants = {}, root = ROOT, name = 'ironlaw', tls, isEngineSecure = false }: OurOptions = {},
): Promise<Proxy> {
  const plenty = { requests_per_minute: 1e9, tokens_per_minute: 1e12, concurrency: 1e5, kv_tokens: 1e12 }
  const snapshot = join(folder, `snapshot-${port}.json`)
  writeFileSync(
    snapshot,
    JSON.stringify({
      version: 1,
      pools: {
        main: {
          replicas: [{ id: 'r', url: `${isEngineSecure ? 'https' : 'http'}://127.0.0.1:${engine}`, max_running: 20_000 }],
          kv_tokens: 1e9,
        },
      },
      models: { m: { targets: [{ pool: 'main' }] } },
      tenants: { bench: plenty, ...tenants },
      keys: ['bench', ...Object.keys(tenants)].map((tenant) => ({ sha256: sha256(`sk-${tenant}`), tenant })),
    }),
  )
  const main = join(root, 'packages/effects/gateway/src/main.ts')
  const state = join(folder, `state-${port}`)
  mkdirSync(state, { recursive: true })
  const args = [main, '--snapshot', snapshot, '--state', state, '--port', String(port), '--admin-port', String(port + 1)]
  const secured = tls ? ['--tls-cert', tls.cert, '--tls-key', tls.key, '--ca', tls.ca] : []
  const child = await run(process.execPath, { args: [...args, ...secured], port })
  const ca = tls && { ca: readFileSync(tls.ca, 'utf8') }
  return { name, port, headers: { authorization: `Bearer ${BENCH_KEY}` }, pid: () => child.pid ?? 0, ...ca }
}

/** What two sockets cost in this runtime, whatever is done between them. */
export async function startPipe(port: number, engine: number): Promise<Proxy> {
  const script = new URL('./bench-pipe.ts', import.meta.url).pathname
  const child = await run(process.execPath, { args: [script, String(port), String(engine)], port })
  return { name: 'bare pipe', port, headers: {}, pid: () => child.pid ?? 0 }
}

export async function startNginx(port: number, engine: number): Promise<Proxy> {
  const config = join(folder, 'nginx.conf')
  const pid = join(folder, 'nginx.pid')
  writeFileSync(
    config,
    `worker_processes 1; daemon off; pid ${pid}; error_log stderr crit; events { worker_connections 8000; }
http { access_log off; client_body_temp_path ${folder}; keepalive_requests 100000000;
upstream engine { server 127.0.0.1:${engine}; keepalive 1024; keepalive_requests 100000000; }
server { listen 127.0.0.1:${port} backlog=4096; location / { proxy_pass http://engine; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; } } }`,
  )
  await run('nginx', { args: ['-c', config, '-e', 'stderr'], port })
  const worker = Number(
    execFileSync('pgrep', ['-P', readFileSync(pid, 'utf8').trim()], { encoding: 'utf8' })
      .trim()
      .split('\n')[0],
  )
  return { name: 'nginx', port, headers: {}, pid: () => worker }
}

export async function startHaproxy(port: number, engine: number): Promise<Proxy> {
  const config = join(folder, 'haproxy.cfg')
  writeFileSync(
    config,
    `global\n nbthread 1\n maxconn 4000\ndefaults\n mode http\n timeout connect 5s\n timeout client 600s\n timeout server 600s\n http-reuse always
frontend f\n bind 127.0.0.1:${port}\n default_backend b\nbackend b\n server e 127.0.0.1:${engine}\n`,
  )
  const child = await run('haproxy', { args: ['-db', '-f', config], port })
  return { name: 'haproxy', port, headers: {}, pid: () => child.pid ?? 0 }
}

/** From a folder with @portkey-ai/gateway 1.15.2 and @hono/node-server 1.8.2 installed (later ones answer every call with an error). */
export async function startPortkey(
  port: number,
  { engine, directory }: { readonly engine: number; readonly directory: string },
): Promise<Proxy | undefined> {
  const script = join(directory, 'node_modules/@portkey-ai/gateway/build/start-server.js')
  if (!existsSync(script)) return undefined
  const child = await run(process.execPath, { args: [script, `--port=${port}`, '--headless'], port })
  const headers = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `http://127.0.0.1:${engine}/v1`, authorization: 'Bearer x' }
  return { name: 'portkey', port, headers, pid: () => child.pid ?? 0 }
}

export const direct = (engine: number): Proxy => ({ name: 'direct', port: engine, headers: {}, pid: () => 0 })

/** Processor seconds that a process and its threads have had. */
export function cpu_s(pid: number): number {
  if (pid === 0) return 0
  // The process's own sum counts in ticks of 10 ms, which is a tenth of a short turn.
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'))
  return threads.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1e9
}

export const rss_bytes = (pid: number): number => 4096 * Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1])
