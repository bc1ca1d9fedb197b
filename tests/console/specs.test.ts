// Specs that are opened in the console: each kind in its studio, with what its controls cannot show.

import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openSite, policyViolations, region, waitUntilSettled, type Site } from './site.ts'

let site: Site
beforeAll(async () => {
  site = await openSite()
}, 240_000)
afterEach(() => site.closePages())
afterAll(() => site?.close())

const SOON = { timeout: 60_000 }
const headline = (page: Page): ReturnType<Page['getByRole']> => region(page, 'The plan')
const yaml = (page: Page, file: string): ReturnType<Page['getByLabel']> => page.getByLabel(file, { exact: true })

async function openSpec(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'Open a spec' }).click()
  await page.getByRole('textbox', { name: 'Text of the spec' }).fill(text)
  await page.getByRole('button', { name: 'Plan this spec' }).click()
}

const RL = `apiVersion: ironlaw/v1
kind: RL
name: grpo-8b
model: meta-llama/Llama-3.1-8B
steps: 500
prompts: 64
samples: 32
updateBatch: 512
promptTokens: 100
answers: { mean: 1000 }
longestAnswer: 4000
staleness: 1
fleet: { accelerator: h100-sxm, count: 16 }
`

const TRAIN = `apiVersion: ironlaw/v1
kind: Train
name: tuned
model: meta-llama/Llama-3.1-8B
tokens: 1B tokens
sequence: 4k
globalBatch: 128
precision: qlora
lora: { rank: 64 }
runtime: fsdp-eager
fleet: { accelerator: h100-sxm, count: 8 }
price: $2/h
`

describe('a spec that is opened', { timeout: 240_000 }, () => {
  test('of kind RL shows both sides, the sync of weights, the staleness and the interval', async () => {
    const page = await site.open('#/train')
    await openSpec(page, RL)
    await expect.poll(() => page.url(), SOON).toContain('#/rl')
    await expect.poll(() => headline(page).innerText(), SOON).toContain('Weight sync')
    const text = await headline(page).innerText()
    for (const part of ['generate', 'learns', '90 % interval', 'Staleness', '1 step', 'Bottleneck']) expect(text).toContain(part)
    expect(await yaml(page, 'rl.yaml').textContent()).toContain('updateBatch: 512')
    await region(page, 'Table of placements').locator('tbody').getByRole('button').nth(1).press('Enter')
    await expect.poll(() => page.url(), SOON).toContain('rank=1')
    expect(await policyViolations(page)).toEqual([])
  })

  test('of kind Train fills the controls, keeps the rest, and a control that is moved is in the YAML', async () => {
    const page = await site.open('#/serve')
    await openSpec(page, TRAIN)
    await expect.poll(() => page.url(), SOON).toContain('#/train')
    await waitUntilSettled(page)
    expect(await page.getByRole('textbox', { name: 'Rank of the adapters, typed' }).inputValue()).toBe('64')
    expect(await page.getByText('price: $2/h').first().isVisible()).toBe(true)
    await page.getByRole('slider', { name: 'Rank of the adapters', exact: true }).press('ArrowLeft')
    await expect.poll(() => yaml(page, 'train.yaml').textContent(), SOON).toContain('rank: 32')
    expect(await yaml(page, 'train.yaml').textContent()).toMatch(/price: "?\$2\/h/)
    await page.getByRole('button', { name: 'Remove these' }).click()
    await expect.poll(() => yaml(page, 'train.yaml').textContent(), SOON).not.toContain('price')
  })

  test('of another kind, or misspelt, is refused in words', async () => {
    const page = await site.open('#/train')
    await openSpec(page, 'kind: Job\nname: x')
    const dialog = page.getByRole('dialog', { name: 'Open a spec' })
    await expect.poll(() => dialog.innerText(), SOON).toContain('the studios show Train, RL and Serve')
    await page.getByRole('textbox', { name: 'Text of the spec' }).fill(RL.replace('samples', 'sampels'))
    await page.getByRole('button', { name: 'Plan this spec' }).click()
    await expect.poll(() => dialog.innerText(), SOON).toContain('did you mean samples?')
  })
})

test('mechanisms of the serving studio are in its plan and its YAML', { timeout: 240_000 }, async () => {
  const page = await site.open('#/serve?accelerator=h100-sxm&cached=50&adapters=16')
  await page.getByLabel('Speculation', { exact: true }).selectOption('EAGLE-3 head')
  await expect.poll(() => headline(page).innerText(), SOON).toContain('drafted by an EAGLE-3 head')
  expect(await headline(page).innerText()).toContain('16 LoRA adapters of rank 16')
  await expect.poll(() => yaml(page, 'serve.yaml').textContent(), SOON).toContain('method: eagle3')
})
