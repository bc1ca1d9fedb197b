// `npm run e2e:first-use`: what a new user does, from a fresh clone to a plan on the screen, to a training job that runs, and to a
// model that answers, with the time that each command takes. What is committed is what is tried.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { sparePorts } from '../../../tools/testbed/ports.ts'

const ROOT = join(import.meta.dirname, '../../..')
const PATIENCE_MS = 300_000
const PLANNED = { name: 'The plan' }
const EXPORT = 'export examples/reference-trainer/tiny.config.json --seeded 1 --to examples/chat/model --name tiny --format gguf'.split(' ')

const home = mkdtempSync(join(tmpdir(), 'ironlaw-first-use-'))
const clone = join(home, 'ironlaw')
const started: ChildProcess[] = []
const [pages, api] = [await sparePorts(1), await sparePorts(1)]
const client = { port: await sparePorts(2), key: '' }
const ENVIRONMENT = {
  ...process.env,
  HOME: home,
  BROWSER: 'none',
  npm_config_cache: process.env['npm_config_cache'] ?? join(process.env['HOME'] ?? home, '.npm'),
}

try {
  await timeStep('git clone', async () => void execFileSync('git', ['clone', '--quiet', ROOT, clone]))
  await timeStep('npm ci', () => startUntil('npm', ['ci'], /added \d+ packages/))
  await timeStep('npm run console, until a plan is on the screen', planInBrowser)
  await timeStep('npx ironlaw up, until it listens', () =>
    startUntil('npx', ['ironlaw', 'up', '--listen', `127.0.0.1:${api}`], /listening on/),
  )
  const spec = ['examples/reference-trainer/train.yaml', '--with', 'examples/reference-trainer/fleet.yaml', '--yes']
  await timeStep('npx ironlaw apply, until the first steps are told', () => startUntil('npx', ['ironlaw', 'apply', ...spec], /step [1-9]/))
  const training = started.at(-1)
  await timeStep('npx ironlaw export, of a model with drawn weights', () => startUntil('npx', ['ironlaw', ...EXPORT], /logits within/))
  await timeStep('a gateway with a token and a key, until it listens', startOwnGateway)
  const served = ['examples/chat/serve.yaml', '--with', 'examples/reference-trainer/fleet.yaml', '--yes']
  await timeStep('npx ironlaw apply, of a model to be served', () =>
    startUntil('npx', ['ironlaw', 'apply', ...served], /revision 1 serves/),
  )
  await timeStep('and until it answers', requestAnswer)
  await timeStep('until the training job has succeeded', () => waitForExit(training))
} finally {
  for (const { pid, exitCode } of started) if (pid !== undefined && exitCode === null) process.kill(-pid, 'SIGTERM')
  await Promise.all(started.map(waitForExit))
  rmSync(home, { recursive: true, force: true })
}

async function timeStep(what: string, work: () => Promise<void>): Promise<void> {
  const began = performance.now()
  await work()
  console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(7)} s  ${what}`)
}

/** Starts a command as a group of its own, and goes on when it has said so. */
async function startUntil(command: string, argv: readonly string[], words: RegExp): Promise<void> {
  const child = spawn(command, argv, { cwd: clone, env: ENVIRONMENT, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  started.push(child)
  let output = ''
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => reject(new Error(`${command} ${argv.join(' ')} never said ${words}: ${output}`)), PATIENCE_MS)
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += String(chunk)
      if (words.test(output)) resolve()
    })
  child.once('exit', (status) =>
    words.test(output) ? resolve() : reject(new Error(`${command} ${argv.join(' ')} ended with ${status}: ${output}`)),
  )
  await promise
  clearTimeout(timer)
}

async function planInBrowser(): Promise<void> {
  await startUntil('npm', ['run', 'console', '--', '--port', String(pages), '--strictPort'], /Local/)
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  })
  const page = await browser.newPage()
  await page.goto(`http://localhost:${pages}/`)
  await page.getByRole('region', PLANNED).getByText('Fits').first().waitFor({ timeout: PATIENCE_MS })
  await browser.close()
}

/** What a command prints as JSON. */
function runJson(...argv: readonly string[]): Readonly<Record<string, unknown>> {
  const options = { cwd: clone, env: ENVIRONMENT, stdio: 'pipe' } as const
  return JSON.parse(execFileSync('npx', ['ironlaw', ...argv, '--json'], options).toString())
}

async function startOwnGateway(): Promise<void> {
  const { key, entry } = runJson('key', 'me')
  client.key = String(key)
  writeFileSync(
    join(clone, 'access.json'),
    JSON.stringify({ apiVersion: 'ironlaw/v1', kind: 'Access', tenants: { me: {} }, keys: [entry] }),
  )
  await startUntil('npx', ['ironlaw', 'apply', 'access.json', '--yes'], /version \d+/)
  const { secret } = runJson('token', 'create', 'gateway-1', '--role', 'gateway')
  const flags = ['--control', `http://127.0.0.1:${api}`, '--port', String(client.port), '--admin-port', String(client.port + 1)]
  await startUntil('env', [`IRONLAW_TOKEN=${String(secret)}`, 'npx', 'ironlaw', 'gateway', ...flags], /gateway at/)
}

async function requestAnswer(): Promise<void> {
  const url = `http://127.0.0.1:${client.port}/v1/chat/completions`
  const headers = { authorization: `Bearer ${client.key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'chat', max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] })
  for (const until = Date.now() + PATIENCE_MS; ; await pause(100)) {
    const answer = await fetch(url, { method: 'POST', headers, body })
    if (answer.ok) return
    if (Date.now() > until) throw new Error(`it answered nobody: ${answer.status} ${await answer.text()}`)
  }
}

async function waitForExit(child: ChildProcess | undefined): Promise<void> {
  if (child && child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
