// The pages of datasets against a real control plane, with datasets that the pipeline made.

import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type DatasetPlane, startPlaneWithDatasets } from './dataset-plane.ts'
import { connect, openSite, region, type Site } from './site.ts'

const SOON = { timeout: 60_000 }

let plane: DatasetPlane
let site: Site
beforeAll(async () => {
  plane = await startPlaneWithDatasets()
  site = await openSite(plane.api)
}, 300_000)
afterEach(() => site.closePages())
afterAll(async () => {
  await site?.close()
  await plane?.close()
})

async function openView(place: 'corpus' | 'order', view: string): Promise<Page> {
  const page = await site.open(`${plane.places[place]}&view=${view}`)
  await connect(page, plane.token)
  return page
}

const readText = (page: Page, name: string): Promise<string> => region(page, name).innerText()

test('a dataset shows what its steps dropped and why, what it is made of, and what changed since the version before', SOON, async () => {
  const page = await openView('corpus', 'steps')
  await expect.poll(() => readText(page, 'What each step kept'), SOON).toMatch(/1 expect\s+351\s+drops 9, 2.5 %/)
  expect(await readText(page, 'Dropped by step 3, keep')).toMatch(/gopher-words.*\n[^]*web.jsonl, record 9[^]*Read more/)
  await page.getByRole('radio', { name: 'distributions' }).check()
  await expect.poll(() => readText(page, 'Origin'), SOON).toContain('synthetic, generation 1')
  expect(await readText(page, 'Sources')).toContain('score has 7, more than 1')
  await page.getByRole('radio', { name: 'versions' }).check()
  await expect.poll(() => readText(page, 'Figures of both versions'), SOON).toMatch(/kept by deduplicate\s+–\s+285/)
  expect(page.url()).toContain('view=versions')
})

test('a dataset has its datasheet', SOON, async () => {
  const page = await openView('corpus', 'overview')
  const sheet = region(page, 'Datasheet')
  await sheet.getByRole('button', { name: 'Markdown' }).click()
  await expect.poll(() => sheet.getByLabel('Datasheet: Markdown').innerText(), SOON).toMatch(/# [^]*What each step/i)
  await sheet.getByRole('button', { name: /^Save .*\.md$/ }).waitFor()
})

test('a document leads to its record and to the steps of the run that saw it, and the order to its mixture', SOON, async () => {
  const page = await openView('corpus', 'document')
  await page.getByLabel('Document', { exact: true }).fill('285')
  await expect.poll(() => page.getByText('Not a number from 0 to 284').count(), SOON).toBe(1)
  await page.getByLabel('Document', { exact: true }).fill('5')
  await expect.poll(() => readText(page, 'Table of runs that saw it'), SOON).toMatch(/tiny[^]*corpus/)
  await expect.poll(() => page.getByLabel('Text of the document').innerText(), SOON).toMatch(/^(\w+ ){5}[^]*\.<end>$/)
  expect(await page.locator('main').innerText()).toMatch(/Record\s+\d+\s+of .*\.jsonl/)
  const order = await openView('order', 'mixture')
  await expect.poll(() => readText(order, 'Table of phases'), SOON).toMatch(/2\s+400 – 1,199\s+corpus\s+75.0 %\s+600/)
  await order.getByLabel(/^Mixture over training\. Arrow keys/).waitFor()
})
