// The pages of runs against a real control plane.

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ControlPlane } from '../control-plane.ts'
import { startPlaneWithRun } from './control-plane.ts'
import { connect, openSite, overflow, region, seriousViolations, type Site } from './site.ts'

const SOON = { timeout: 120_000 }

let control: ControlPlane
let site: Site
beforeAll(async () => {
  control = await startPlaneWithRun()
  site = await openSite(control.api)
}, 300_000)
afterAll(async () => {
  await site?.close()
  await control?.close()
})

test('a wrong token is refused in words, and another can be given', { timeout: 240_000 }, async () => {
  const page = await site.open('#/runs')
  await connect(page, 'nonsense')
  await expect.poll(() => page.getByRole('alert').innerText(), SOON).toContain('missing or invalid token')
  await page.getByRole('button', { name: 'Change token' }).press('Enter')
  expect(await page.getByLabel('Token').isVisible()).toBe(true)
})

test('a run is found, followed live to its end, and shown in full', { timeout: 300_000 }, async () => {
  const page = await site.open('#/runs')
  await connect(page, control.token)
  await page.getByRole('link', { name: 'tiny' }).press('Enter')
  await expect.poll(() => region(page, 'The run').innerText(), SOON).toContain('succeeded')
  await expect.poll(() => page.getByLabel(/^Loss over \d+ steps/).count(), SOON).toBe(1)
  await expect.poll(() => page.getByLabel(/^Seconds per step over \d+ steps/).count(), SOON).toBe(1)
  await expect.poll(() => region(page, 'Step time').innerText(), SOON).toContain('Predicted 60 ms')
  await expect.poll(() => region(page, 'Where the time went').innerText(), SOON).toContain('compute')
  await expect.poll(() => region(page, 'Attempts and faults').innerText(), SOON).toContain('completed')
  expect(await page.getByRole('button', { name: 'Save as CSV: Attempts and faults' }).count()).toBe(1)
  await expect.poll(() => region(page, 'Checkpoints').innerText(), SOON).toContain('committed')
  await expect.poll(() => region(page, 'Events').innerText(), SOON).toContain('run-succeeded')
  await expect.poll(() => page.getByLabel('Log of rank 0').textContent(), SOON).toContain('step 40')
  expect(await region(page, 'Plan, command and environment').textContent()).toContain('steps.py')
  expect(await region(page, 'Plan, command and environment').textContent()).toContain('Values are never shown')
  await region(page, 'Events').getByText('run-succeeded').click()
  await expect.poll(() => region(page, 'Events').textContent(), SOON).toContain('hash')
  expect(await seriousViolations(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 900 })
  // Pictures follow the width a frame later.
  await expect.poll(() => overflow(page), { timeout: 10_000 }).toBe(0)
  await page.getByRole('link', { name: '← All runs' }).press('Enter')
  await expect.poll(() => region(page, 'Table of runs').innerText(), SOON).toContain('40')
  expect(await seriousViolations(page)).toEqual([])
  expect(await overflow(page)).toBe(0)
})
