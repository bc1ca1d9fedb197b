// A tab that was opened before an upgrade asks for files that are gone: it offers to reload.

import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openSite, waitUntilSettled, type Site } from './site.ts'

let site: Site
beforeAll(async () => {
  site = await openSite()
}, 240_000)
afterEach(() => site.closePages())
afterAll(() => site?.close())

const SOON = { timeout: 60_000 }
const failure = (page: Page): ReturnType<Page['getByRole']> => page.getByRole('alert')

const removeFiles = (page: Page, pattern: string): Promise<unknown> =>
  page.route(pattern, (route) => route.fulfill({ status: 404, body: 'Not Found' }))

describe('files that are gone', { timeout: 240_000 }, () => {
  test('a page that cannot be loaded offers a reload, which loads it, and other pages go on', async () => {
    const page = await site.open('#/train')
    await waitUntilSettled(page)
    await removeFiles(page, '**/assets/page-*.js')
    await page.getByRole('link', { name: 'Laws', exact: true }).click()
    await expect.poll(() => failure(page).innerText(), SOON).toContain('could not be loaded')
    await page.getByRole('link', { name: 'Train', exact: true }).click()
    await expect.poll(() => page.getByRole('region', { name: 'The plan' }).count(), SOON).toBe(1)
    await page.getByRole('link', { name: 'Laws', exact: true }).click()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Reload' }).click()
    await expect.poll(() => page.getByRole('searchbox').count(), SOON).toBe(1)
    expect(page.url()).toContain('#/laws')
  })

  test('so does a planner that cannot be loaded', async () => {
    const page = await site.open('#/laws')
    await page.getByRole('searchbox').waitFor()
    await removeFiles(page, '**/assets/worker-*.js')
    await page.getByRole('link', { name: 'Train', exact: true }).click()
    await expect.poll(() => failure(page).innerText(), SOON).toContain('could not be loaded')
  })
})
