// Plans that a real control plane keeps, compared by their ids.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sampleTrainingPlan } from '@ironlaw/contracts/sample-plan'
import { planId } from '@ironlaw/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ControlPlane, startControlPlane } from './jobs/control-plane.ts'

const ROOT = join(import.meta.dirname, '..')
const run = promisify(execFile)
let plane: ControlPlane

beforeAll(async () => {
  plane = await startControlPlane()
}, 60_000)
afterAll(() => plane.close())

const ironlaw = (...args: readonly string[]) =>
  run(process.execPath, [join(ROOT, 'packages/apps/cli/src/main.ts'), ...args], {
    env: { ...process.env, IRONLAW_API: plane.api, IRONLAW_TOKEN: plane.token },
  })

async function keep(changes: object): Promise<string> {
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
  const [before, after] = [await keep({}), await keep({ globalBatch: 2048 })]
  const { stdout } = await ironlaw('plan', 'diff', before, after)
  expect(stdout).toContain(`${before} to ${after}`)
  expect(stdout).toMatch(/globalBatch +\d+ +2048/)
  await expect(ironlaw('plan', 'diff', before, 'plan-000000000000')).rejects.toThrow(/plan-000000000000[\s\S]*next:/)
})
