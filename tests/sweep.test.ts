// Sweeps on a real control plane: trials are runs, those that are behind are stopped, and whoever drives them may be killed.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ControlPlane, startControlPlane } from './control-plane.ts'

const CLI = join(import.meta.dirname, '../packages/apps/cli/src/main.ts')
const TIMEOUT_MS = 240_000
const STEPS = 60

/** A loss that is lowest at a learning rate of 0.01, and that falls with the steps. */
const PROGRAM = `
import { setTimeout as pause } from 'node:timers/promises'
const lr = Number(process.argv[process.argv.indexOf('--lr') + 1])
if (process.argv.includes('--fail')) process.exit(1)
for (let step = 1; step <= ${STEPS}; step += 1) {
  console.log(process.argv.includes('--mute') ? 'step ' + step : 'step ' + step + ' loss ' + (Math.abs(Math.log10(lr) + 2) + 1 / step).toFixed(4))
  await pause(50)
}
`

type Trial = {
  readonly trial: number
  readonly arguments: Record<string, number>
  readonly run: string
  readonly state: string
  readonly step: number
}
type FinishedSweep = {
  readonly best?: number
  readonly steps: { readonly taken: number; readonly whole: number }
  readonly trials: readonly Trial[]
}

let plane: ControlPlane
let folder = ''
beforeAll(async () => {
  plane = await startControlPlane({ nodes: 1, slots: 3 })
  folder = mkdtempSync(join(tmpdir(), 'ironlaw-sweep-'))
  writeFileSync(join(folder, 'trial.mjs'), PROGRAM)
}, TIMEOUT_MS)
afterAll(async () => {
  await plane.close()
  rmSync(folder, { recursive: true })
})

/** The spec of a sweep, and of the job that it tries. */
function writeSweep(name: string, { words = [] as readonly string[], trials = 7, stopping = { first: 10, factor: 3 } } = {}): string {
  const job = {
    apiVersion: 'ironlaw/v1',
    kind: 'Job',
    name: `${name}-job`,
    program: [process.execPath, 'trial.mjs', ...words],
    retries: 0,
    steps: { pattern: String.raw`step (?<step>\d+)(?: loss (?<loss>\S+))?`, total: STEPS },
  }
  const sweep = {
    apiVersion: 'ironlaw/v1',
    kind: 'Sweep',
    name,
    run: `${name}-job.json`,
    arguments: { '--lr': { from: 0.0001, to: 1, scale: 'log' } },
    trials,
    atOnce: 3,
    stopping,
  }
  writeFileSync(join(folder, `${name}-job.json`), JSON.stringify(job))
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(sweep))
  return join(folder, `${name}.json`)
}

function startCli(...argv: readonly string[]) {
  const env = { ...process.env, IRONLAW_API: plane.api, IRONLAW_TOKEN: plane.token, NO_COLOR: '1' }
  const child = spawn(process.execPath, [CLI, ...argv], { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = { out: '', err: '' }
  child.stdout.on('data', (text: Buffer) => void (said.out += String(text)))
  child.stderr.on('data', (text: Buffer) => void (said.err += String(text)))
  const ended = once(child, 'close').then(([code]: unknown[]) => code)
  return { child, said, ended }
}

async function ironlaw(...argv: readonly string[]) {
  const { said, ended } = startCli(...argv)
  return { status: await ended, ...said }
}

async function runsOf(name: string): Promise<readonly { readonly name: string }[]> {
  const answer = await fetch(`${plane.api}/v1/runs?limit=1000`, { headers: { authorization: `Bearer ${plane.token}` } })
  const { items }: { readonly items: readonly { readonly name: string }[] } = JSON.parse(await answer.text())
  return items.filter((run) => run.name.startsWith(`${name}-`))
}

describe('a sweep', { timeout: TIMEOUT_MS }, () => {
  test('finds the best value, and most trials do not reach their end', async () => {
    const { status, out, err } = await ironlaw('apply', writeSweep('rates'), '--yes', '--json')
    expect(err).toBe('')
    expect(status).toBe(0)
    const { best, steps, trials }: FinishedSweep = JSON.parse(out)
    const found = trials.find(({ trial }) => trial === best)
    const nearest = trials.toSorted((a, b) => distance(a) - distance(b))[0]
    expect(found?.run).toBe(nearest?.run)
    expect(found?.step).toBe(STEPS)
    expect(trials.filter(({ state }) => state === 'cancelled').length).toBeGreaterThanOrEqual(2)
    expect(steps.whole).toBe(7 * STEPS)
    expect(steps.taken).toBeLessThan(steps.whole)
  })

  test('whoever drives it may be killed: the same command goes on with the same runs', async () => {
    const file = writeSweep('killed', { trials: 4 })
    for (let round = 0; round < 3; round += 1) {
      const { child, said, ended } = startCli('apply', file, '--yes')
      await expect.poll(() => said.out, { timeout: TIMEOUT_MS / 4 }).toMatch(round === 0 ? /at once/ : /started before/)
      await expect.poll(async () => (await runsOf('killed')).length, { timeout: TIMEOUT_MS / 4 }).toBeGreaterThan(round)
      child.kill('SIGKILL')
      await ended
    }
    const first = await ironlaw('apply', file, '--yes', '--json')
    const again = await ironlaw('apply', file, '--json')
    const { best, trials }: FinishedSweep = JSON.parse(first.out)
    expect(await runsOf('killed')).toHaveLength(4)
    expect(trials).toHaveLength(4)
    expect(JSON.parse(again.out)).toMatchObject({ best, trials: trials.map(({ run }) => ({ run })) })
  })

  test('two that drive it at once share its trials', async () => {
    const file = writeSweep('shared', { trials: 4 })
    const answers = await Promise.all([ironlaw('apply', file, '--yes', '--json'), ironlaw('apply', file, '--yes', '--json')])
    const [one, other] = answers.map(({ out }): FinishedSweep => JSON.parse(out))
    expect(await runsOf('shared')).toHaveLength(4)
    expect(one?.best).toBe(other?.best)
  })

  test('a program that reports no loss is refused by its first trial', async () => {
    const { status, err } = await ironlaw('apply', writeSweep('mute', { words: ['--mute'] }), '--yes')
    expect(status).not.toBe(0)
    expect(err).toContain('reports no loss, by which trials are compared')
  })

  test('a program that fails is not tried with every value', async () => {
    const { status, err } = await ironlaw('apply', writeSweep('failing', { words: ['--fail'] }), '--yes')
    expect(status).not.toBe(0)
    expect(err).toContain('none has come to its first step')
    expect((await runsOf('failing')).length).toBeLessThanOrEqual(6)
  })

  test('nothing is compared after the end of a run', async () => {
    const { err } = await ironlaw('plan', writeSweep('late', { stopping: { first: STEPS, factor: 3 } }))
    expect(err).toContain(`stopping.first: a run has ${STEPS} steps`)
  })
})

const distance = ({ arguments: own }: Trial): number => Math.abs(Math.log10(own['--lr'] ?? 1) + 2)
