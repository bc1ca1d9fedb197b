// Commands against a real control plane.

import { execFile } from 'node:child_process'
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

test('a token is created, listed and revoked, and is good for nothing then', { timeout: 60_000 }, async () => {
  const { stdout } = await ironlaw('token', 'create', 'ada', '--role', 'viewer', '--json')
  const { id, secret }: { readonly id: string; readonly secret: string } = JSON.parse(stdout)
  const fetchStatus = () => fetch(`${plane.api}/v1/runs`, { headers: { authorization: `Bearer ${secret}` } }).then(({ status }) => status)
  expect(await fetchStatus()).toBe(200)
  expect((await ironlaw('token', 'revoke', id)).stdout).toBe(`${id} is revoked\n`)
  expect(await fetchStatus()).toBe(401)
})
