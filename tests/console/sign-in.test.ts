// Signing in to the console through an identity provider: a browser, a control plane and a real OpenID provider.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type SignInBed, signInBed } from '../../packages/effects/control/test/sign-in-bed.ts'
import { serveConsole } from '../../packages/apps/server/src/console-files.ts'
import type { Page } from 'playwright-core'
import { buildSite, connect, openSiteAt, seriousViolations, type Site } from './site.ts'

let rig: SignInBed
let site: Site
beforeAll(async () => {
  rig = await signInBed()
  serveConsole(rig.bed.api.server, { folder: buildSite() })
  site = await openSiteAt(`${rig.url}/console/`)
}, 240_000)
afterEach(() => site.closePages())
afterAll(async () => {
  await site?.close()
  await rig?.close()
})

async function signIn(page: Page, login: string): Promise<void> {
  await page.getByRole('link', { name: `Sign in with ${new URL(rig.provider.issuer).host}` }).click()
  await page.getByPlaceholder('Enter any login').fill(login)
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

test('a person signs in, comes back to the page where they were, and signs out', { timeout: 240_000 }, async () => {
  const page = await site.open('#/fleet?show=all')
  await page.getByRole('link', { name: /^Sign in with/ }).waitFor()
  expect(await seriousViolations(page)).toEqual([])
  await signIn(page, 'ada')
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  expect(page.url()).toContain('/console/#/fleet')
  await page.getByText('n1', { exact: true }).first().waitFor()
  const cookies = await page.context().cookies(rig.url)
  expect(cookies.find(({ name }) => name === 'ironlaw')).toMatchObject({ httpOnly: true, sameSite: 'Strict' })
  expect(await page.evaluate('document.cookie')).toBe('')

  const second = await page.context().newPage()
  await second.goto(`${rig.url}/console/#/runs`)
  await second.getByRole('button', { name: 'Sign out' }).click()
  await second.waitForURL(/session\/end/)
  await page.reload()
  await page.getByRole('link', { name: /^Sign in with/ }).waitFor()
})

test('what changes something works by the cookie, and an ended session leads back to the same page', { timeout: 240_000 }, async () => {
  const page = await site.open('#/fleet')
  await signIn(page, 'ada')
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  const drained = await page.evaluate<number>(
    `fetch('/v1/nodes/n2/drain', { method: 'POST', headers: { 'content-type': 'application/json', 'x-ironlaw-console': '1' }, body: '{"reason":"test"}' }).then(({ status }) => status)`,
  )
  expect(drained).toBe(200)
  rig.pass(13 * 3600)
  await page.getByRole('link', { name: 'Runs', exact: true }).click()
  await page.getByRole('link', { name: /^Sign in with/ }).waitFor()
  expect(page.url()).toMatch(/#\/runs$/)
})

test('another page of this host cannot use the session', { timeout: 240_000 }, async () => {
  const page = await site.open('#/fleet')
  await signIn(page, 'ada')
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  // The provider is on another port of the same host: same site, so the cookie goes along.
  await page.goto(`${rig.provider.issuer}/.well-known/openid-configuration`)
  await page.evaluate(
    `fetch('${rig.url}/v1/nodes/n3/drain', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}' }).catch(() => undefined)`,
  )
  const { json } = await rig.bed.call({ method: 'GET', url: '/v1/nodes', as: rig.bed.tokens.viewer })
  const states = (json.items as { name: string; state: string }[]).map(({ name, state }) => `${name} ${state}`)
  expect(states).toContain('n3 idle')
})

test('a person without a team reads why; a token still works', { timeout: 240_000 }, async () => {
  const page = await site.open('#/runs')
  await signIn(page, 'eve')
  await page.getByText('none of your groups has a role here').waitFor()
  expect(await page.locator('body').innerText()).toContain('everybody, <b>marketing</b>')
  await page.getByRole('link', { name: 'Back to the console' }).click()
  await page.getByRole('link', { name: 'Runs', exact: true }).click()
  await connect(page, rig.bed.tokens.viewer)
  await page.getByRole('button', { name: 'Change token' }).waitFor()
})
