// The serving studio, the law book and the catalog in a browser.

import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openSite, seriousViolations, waitUntilSettled, type Site } from './site.ts'

let site: Site
beforeAll(async () => {
  site = await openSite()
}, 240_000)
afterEach(() => site.closePages())
afterAll(() => site?.close())

const SOON = { timeout: 60_000 }
const headline = (page: Page): ReturnType<Page['getByRole']> => page.getByRole('region', { name: 'The plan' })

describe('the serving studio', { timeout: 240_000 }, () => {
  test('answers, simulates what users feel, and a chosen deployment is in the address', async () => {
    const page = await site.open('#/serve?accelerator=h100-sxm')
    await waitUntilSettled(page)
    expect(await headline(page).innerText()).toContain('Meets the SLO')
    expect(await page.getByRole('region', { name: 'Latency under load' }).innerText()).toContain('within the SLO')
    expect(await page.getByRole('region', { name: 'A day of autoscaling' }).innerText()).toContain('replica-hours')
    await page.getByRole('region', { name: 'Table of deployments' }).locator('tbody').getByRole('button').nth(1).press('Enter')
    await expect.poll(() => page.url(), SOON).toContain('rank=1')
    await page.getByTitle('TTFT: where does this come from?').press('Enter')
    const derivation = page.getByRole('complementary', { name: 'Derivation of first token' })
    await expect.poll(() => derivation.innerText(), SOON).toContain('iron-law/')
    await page.keyboard.press('Escape')
    await expect.poll(() => derivation.count(), SOON).toBe(0)
  })

  test('what physics forbids is said, and exports are shown', async () => {
    const page = await site.open('#/serve?accelerator=h100-sxm&tpot_ms=1')
    await expect.poll(() => headline(page).innerText(), SOON).toContain('no software can meet it')
    const other = await site.open('#/serve?accelerator=h100-sxm&export=vllm')
    await expect.poll(() => other.getByLabel('Export for vLLM').textContent(), SOON).toContain('--tensor-parallel-size')
  })
})

describe('the law book', { timeout: 240_000 }, () => {
  test('a law is found, tried by keyboard, and its derivation follows', async () => {
    const page = await site.open('#/laws')
    await page.getByRole('searchbox').fill('ridge')
    await page.getByRole('link', { name: /^Ridge point/ }).press('Enter')
    const derivation = page.getByRole('region', { name: 'Derivation' })
    await expect.poll(() => derivation.innerText(), SOON).toContain('153 FLOP/B')
    await page.getByRole('slider', { name: 'peakFlops' }).press('End')
    await expect.poll(() => derivation.innerText(), SOON).not.toContain('153 FLOP/B')
    await expect.poll(() => page.url(), SOON).toContain('peakFlops')
    await page.getByRole('button', { name: 'Back to the example' }).press('Enter')
    await expect.poll(() => derivation.innerText(), SOON).toContain('153 FLOP/B')
  })

  test('a law of a derivation leads into the book', async () => {
    const page = await site.open('#/train?why=cost')
    await page.getByRole('link', { name: 'cost/instance-hours' }).click()
    await expect.poll(() => page.getByRole('heading', { level: 1 }).allInnerTexts(), SOON).toContain('Rent of devices')
  })
})

test('numbers of the failure half open their derivations', { timeout: 240_000 }, async () => {
  const page = await site.open('#/train')
  await page.getByTitle('Checkpoint every: where does this come from?').press('Enter')
  const derivation = page.getByRole('complementary', { name: 'Derivation of checkpoint interval' })
  await expect.poll(() => derivation.innerText(), SOON).toContain('checkpoint/daly-interval')
  expect(await derivation.innerText()).toContain('reliability/series-mtbf')
  expect(await seriousViolations(page)).toEqual([])
})

test('two accelerators are compared, and a dot of the picture is an entry', { timeout: 240_000 }, async () => {
  const page = await site.open('#/catalog?against=b200')
  await expect.poll(() => page.getByRole('region', { name: 'Figures' }).innerText(), SOON).toContain('2.25 ×')
  await page.getByRole('button', { name: /^NVIDIA A100 SXM 80GB,/ }).press('Enter')
  await expect.poll(() => page.url(), SOON).toContain('id=a100-80gb-sxm')
})
