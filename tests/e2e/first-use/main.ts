// `npm run e2e:first-use`: what somebody new does, from a fresh clone to a plan on the screen and to a training job that runs, with the time
// that each command takes. What is committed is what is tried.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { sparePorts } from '../../../tools/testbed/ports.ts'

const ROOT = join(import.meta.dirname, '../../..')
const PATIENCE_MS = 300_000
const PLANNED = { name: 'The plan' }

const home = mkdtempSync(join(tmpdir(), 'ironlaw-first-use-'))
const clone = join(home, 'ironlaw')
const started: ChildProcess[] = []
const [pages, api] = [await sparePorts(1), await sparePorts(1)]

try {
  await timed('git clone', async () => void execFileSync('git', ['clone', '--quiet', ROOT, clone]))
  await timed('npm ci', () => said('npm', ['ci'], /added \d+ packages/))
  await timed('npm run console, until a plan is on the screen', planOnTheScreen)
  await timed('npx ironlaw up, until it listens', () => said('npx', ['ironlaw', 'up', '--listen', `127.0.0.1:${api}`], /listening on/))
  const spec = ['examples/reference-trainer/train.yaml', '--with', 'examples/reference-trainer/fleet.yaml', '--yes']
  await timed('npx ironlaw apply, until the first steps are told', () => said('npx', ['ironlaw', 'apply', ...spec], /step [1-9]/))
  await timed('and until it has succeeded', () => ended(started.at(-1)))
} finally {
  for (const { pid, exitCode } of started) if (pid !== undefined && exitCode === null) process.kill(-pid, 'SIGTERM')
  await Promise.all(started.map(ended))
  rmSync(home, { recursive: true, force: true })
}

async function timed(what: string, work: () => Promise<void>): Promise<void> {
  const began = performance.now()
  await work()
  console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(7)} s  ${what}`)
}

/** Starts a command as a group of its own, and goes on when it has said so. */
async function said(command: string, argv: readonly string[], words: RegExp): Promise<void> {
  const env = {
    ...process.env,
    HOME: home,
    BROWSER: 'none',
    npm_config_cache: process.env['npm_config_cache'] ?? join(process.env['HOME'] ?? home, '.npm'),
  }
  const child = spawn(command, argv, { cwd: clone, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
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

async function planOnTheScreen(): Promise<void> {
  await said('npm', ['run', 'console', '--', '--port', String(pages), '--strictPort'], /Local/)
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  })
  const page = await browser.newPage()
  await page.goto(`http://localhost:${pages}/`)
  await page.getByRole('region', PLANNED).getByText('Fits').first().waitFor({ timeout: PATIENCE_MS })
  await browser.close()
}

async function ended(child: ChildProcess | undefined): Promise<void> {
  if (child && child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
