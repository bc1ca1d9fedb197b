// Commands against a real control plane.

import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sampleTrainingPlan } from '@ironlaw/contracts/sample-plan'
import { planId } from '@ironlaw/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ControlPlane, startControlPlane } from './control-plane.ts'

const ROOT = join(import.meta.dirname, '..')
const run = promisify(execFile)
let plane: ControlPlane

beforeAll(async () => {
  plane = await startControlPlane({ nodes: 1, slots: 1 })
}, 60_000)
afterAll(() => plane.close())

const ironlaw = (...args: readonly string[]) =>
  run(process.execPath, [join(ROOT, 'packages/apps/cli/src/main.ts'), ...args], {
    env: { ...process.env, IRONLAW_API: plane.api, IRONLAW_TOKEN: plane.token },
  })

async function storePlan(changes: object): Promise<string> {
  const changed = { ...sampleTrainingPlan(), ...changes }
  const plan = { ...changed, id: planId(changed) }
  const answer = await fetch(`${plane.api}/v1/plans`, {
    method: 'POST',
    headers: { authorization: `Bearer ${plane.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(plan),
  })
  expect(answer.status).toBe(201)
  return plan.id
}

test('plan diff takes the ids of plans', { timeout: 60_000 }, async () => {
  const [before, after] = [await storePlan({}), await storePlan({ globalBatch: 2048 })]
  const { stdout } = await ironlaw('plan', 'diff', before, after)
  expect(stdout).toContain(`${before} to ${after}`)
  expect(stdout).toMatch(/globalBatch +\d+ +2048/)
  await expect(ironlaw('plan', 'diff', before, 'plan-000000000000')).rejects.toThrow(/plan-000000000000[\s\S]*next:/)
})

test('profiles of files are artifacts, and their diff is that of the profiles', { timeout: 60_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ironlaw-profiles-'))
  const fixture = (name: string): string => join(ROOT, 'tests/fixtures', name)
  for (const [name, rows] of [
    ['baseline', 'applicants.jsonl'],
    ['june', 'applicants-june.jsonl'],
  ] as const) {
    const to = join(directory, `${name}.json`)
    await ironlaw('profile', fixture(rows), '--to', to)
    await ironlaw('artifact', 'add', to, '--type', 'profile', '--name', name, '--fact', 'model=credit@4')
  }
  const { stdout } = await ironlaw('diff', 'baseline', 'june', '--json')
  const files = await ironlaw('diff', join(directory, 'baseline.json'), join(directory, 'june.json'), '--json')
  expect(stdout).toBe(files.stdout)
  expect(JSON.parse(stdout)).toMatchObject({ rows: { before: 400, after: 400 } })
  expect((await ironlaw('diff', 'baseline', 'baseline')).stdout).toContain('0 of ')
})

test('a token is created, listed and revoked, and is good for nothing then', { timeout: 60_000 }, async () => {
  const { stdout } = await ironlaw('token', 'create', 'ada', '--role', 'viewer', '--json')
  const { id, secret }: { readonly id: string; readonly secret: string } = JSON.parse(stdout)
  const fetchStatus = () => fetch(`${plane.api}/v1/runs`, { headers: { authorization: `Bearer ${secret}` } }).then(({ status }) => status)
  expect(await fetchStatus()).toBe(200)
  expect((await ironlaw('token', 'revoke', id)).stdout).toBe(`${id} is revoked\n`)
  expect(await fetchStatus()).toBe(401)
})

test('a token holds in its project, expires, and is rotated', { timeout: 60_000 }, async () => {
  type IssuedToken = { readonly id: string; readonly secret: string; readonly expires_at: number }
  const create = async (...args: readonly string[]): Promise<IssuedToken> =>
    JSON.parse((await ironlaw('token', 'create', ...args, '--json')).stdout)
  const made = await create('ci', '--role', 'member', '--project', 'search', '--expires', '30d')
  expect(Math.round((made.expires_at - Date.now() / 1000) / 86_400)).toBe(30)
  const statusOf = (secret: string, path: string) =>
    fetch(`${plane.api}${path}`, { headers: { authorization: `Bearer ${secret}` } }).then(({ status }) => status)
  expect([await statusOf(made.secret, '/v1/runs'), await statusOf(made.secret, '/v1/gateways')]).toEqual([200, 403])
  expect((await ironlaw('token', 'list')).stdout).toMatch(/ci-\w+ +member +search .* expires in /)
  const kept: IssuedToken = JSON.parse((await ironlaw('token', 'rotate', 'ci', '--overlap', '1h', '--json')).stdout)
  expect(kept.id).toBe(made.id)
  expect([await statusOf(made.secret, '/v1/runs'), await statusOf(kept.secret, '/v1/runs')]).toEqual([200, 200])
  const last: IssuedToken = JSON.parse((await ironlaw('token', 'rotate', 'ci', '--json')).stdout)
  expect([await statusOf(made.secret, '/v1/runs'), await statusOf(kept.secret, '/v1/runs')]).toEqual([401, 401])
  expect(await statusOf(last.secret, '/v1/runs')).toBe(200)
  expect((await ironlaw('token', 'create', 'gw', '--role', 'gateway', '--gateway', 'edge')).stdout).toContain('role gateway of edge')
  await expect(ironlaw('token', 'create', 'bad', '--project', 'search', '--role', 'gateway')).rejects.toThrow('a gateway has none')
})

test('teams are applied, shown, and refused when they changed since', { timeout: 60_000 }, async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'ironlaw-teams-')), 'teams.yaml')
  const teams = (projects: string, basedOn = '') =>
    writeFileSync(file, `apiVersion: ironlaw/v1\nkind: Teams\n${basedOn}teams:\n  - name: search\n    projects: [${projects}]\n`)
  teams('default, search')
  expect((await ironlaw('apply', file, '-y')).stdout).toMatch(
    /^teams added: search, projects added: default search\ndocument 1, based_on \w+/,
  )
  const { stdout } = await ironlaw('get', 'teams')
  expect(stdout).toContain('name: search')
  const [, etag = ''] = /based_on: (\w+)/.exec(stdout) ?? []
  teams('default, search, ranking', `based_on: ${etag}\n`)
  expect((await ironlaw('apply', file, '-y')).stdout).toContain('projects added: ranking')
  await expect(ironlaw('apply', file, '-y')).rejects.toThrow('was changed since you read it')
})
