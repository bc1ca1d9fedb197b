// How a browser gets in: by the one-time link that "ironlaw console" prints, or by a token that the user pastes.

import { LOGIN_CODE } from '@ironlaw/contracts/api'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type ControlPlane, startControlPlane } from '../control-plane.ts'
import { sparePort } from './control-plane.ts'
import { connect, openSite, type Site } from './site.ts'

const SOON = { timeout: 60_000 }

let plane: ControlPlane
let site: Site
beforeAll(async () => {
  plane = await startControlPlane({ nodes: 1, slots: 2, port: await sparePort() })
  site = await openSite(plane.api)
}, 240_000)
afterEach(() => site.closePages())
afterAll(async () => {
  await site?.close()
  await plane?.close()
})

async function newCode(): Promise<string> {
  const answer = await fetch(`${plane.api}/v1/login-codes`, { method: 'POST', headers: { authorization: `Bearer ${plane.token}` } })
  const { code } = LOGIN_CODE.parse(await answer.json())
  return code
}

test('a one-time link opens the runs, leaves no code in the address, and works once', { timeout: 240_000 }, async () => {
  const code = await newCode()
  const page = await site.open(`#code=${code}`)
  await page.getByText('No runs yet').waitFor()
  expect(page.url()).toMatch(/#\/runs$/)
  expect(await page.getByLabel('Token').count()).toBe(0)
  await page.reload()
  await page.getByRole('button', { name: 'Change token' }).waitFor()

  const again = await site.open(`#code=${code}`)
  await expect.poll(() => again.getByRole('alert').innerText(), SOON).toContain('ironlaw console')
  expect(again.url()).toMatch(/#\/runs$/)
  expect(await again.getByLabel('Token').count()).toBe(1)
})

test('a token that is not valid is said in words, and another one can be given by keyboard', { timeout: 240_000 }, async () => {
  const page = await site.open('#/runs')
  expect(await page.getByRole('button', { name: 'Connect' }).isDisabled()).toBe(true)
  await connect(page, 'ironlaw_wrong')
  await expect.poll(() => page.getByRole('alert').innerText(), SOON).toContain('token')
  await page.getByRole('button', { name: 'Change token' }).press('Enter')
  await connect(page, plane.token)
  await page.getByText('No runs yet').waitFor()
})
