// The training studio in a browser: what it answers, how it is reached, how it looks to axe, and its budgets.

import { loadavg } from 'node:os'
import { gzipSync } from 'node:zlib'
import { builtInCatalog } from '@ironlaw/catalog'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { stateOf } from '../../packages/apps/console/src/address.ts'
import { planAnswer } from '../../packages/apps/console/src/training/plan-answer.ts'
import { TRAINING } from '../../packages/apps/console/src/training/question.ts'
import { openSite, waitUntilSettled, type Site } from './site.ts'

let site: Site
beforeAll(async () => {
  site = await openSite()
}, 240_000)
afterEach(() => site.closePages())
afterAll(() => site?.close())

const SOON = { timeout: 60_000 }

const headline = (page: Page): ReturnType<Page['getByRole']> => page.getByRole('region', { name: 'The plan' })
const wholeRun = (page: Page): ReturnType<Page['getByRole']> => headline(page).getByTitle(/^Whole run/)
describe('the training studio', { timeout: 240_000 }, () => {
  test('answers, and a shared address gives the same answer', async () => {
    const page = await site.open('#/train?tokens=1000000000000&devices=512')
    await waitUntilSettled(page)
    const said = await headline(page).innerText()
    expect(said).toContain('Fits')
    expect(said).toContain('on 512 devices')
    for (const title of [
      'Where the step goes',
      'Time against money',
      'Memory per pipeline stage',
      'Pipeline of one step',
      'Roofline',
      'With failures',
    ])
      expect(await page.getByRole('region', { name: title }).count(), title).toBe(1)

    await page.getByRole('slider', { name: 'Tokens', exact: true }).focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => page.url(), SOON).toContain('tokens=1500000000000')
    await waitUntilSettled(page)
    const [slower, address] = [await wholeRun(page).innerText(), page.url()]
    expect(slower).not.toBe(said)
    const shared = await site.open(address.slice(address.indexOf('#')))
    await waitUntilSettled(shared)
    expect(await wholeRun(shared).innerText()).toBe(slower)
  })

  test('every number opens its derivation by keyboard, and Escape goes back to the number', async () => {
    const page = await site.open('#/train')
    await waitUntilSettled(page)
    await headline(page)
      .getByTitle(/^Money/)
      .focus()
    await page.keyboard.press('Enter')
    const panel = page.getByRole('complementary', { name: 'Derivation of cost' })
    await expect.poll(() => panel.innerText(), SOON).toContain('hourlyPrice')
    expect(await panel.innerText()).toContain('cost/instance-hours')
    await page.keyboard.press('Escape')
    await expect.poll(() => panel.count(), SOON).toBe(0)
    expect(await page.evaluate('document.activeElement.title')).toContain('Money')
  })

  test('what does not fit says which change closes it, and makes it', async () => {
    const page = await site.open('#/train?model=meta-llama%2FLlama-3.1-405B&devices=8')
    await waitUntilSettled(page)
    expect(await headline(page).innerText()).toContain('Does not fit')
    await headline(page)
      .getByRole('button', { name: /^Use \d+ devices/ })
      .press('Enter')
    await expect.poll(() => headline(page).innerText(), SOON).toContain('Fits')
  })

  test('a pasted config.json is planned, and nonsense is refused in words', async () => {
    const page = await site.open('#/train')
    await page.getByRole('button', { name: 'Paste a config.json' }).click()
    const box = page.getByRole('textbox', { name: 'Text of the config.json' })
    await box.fill('{"model_type": ')
    expect(await page.getByRole('button', { name: 'Plan this model' }).isDisabled()).toBe(true)
    await box.fill('{"model_type": "llama", "hidden_size": 2048}')
    await page.getByRole('button', { name: 'Plan this model' }).click()
    await expect.poll(() => page.getByRole('alert').innerText(), SOON).toContain('config.json')
    await page.getByRole('button', { name: 'Back to the list' }).click()
    await waitUntilSettled(page)
    expect(await headline(page).innerText()).toContain('Fits')
  })

  test('a plan of the table and a point of the front are chosen by keyboard', async () => {
    const page = await site.open('#/train')
    await waitUntilSettled(page)
    await page.getByRole('region', { name: 'Table of plans' }).locator('tbody').getByRole('button').nth(2).press('Enter')
    await expect.poll(() => page.url(), SOON).toContain('rank=2')
    await page.getByRole('button', { name: /^256 devices/ }).press('Enter')
    await expect.poll(() => page.url(), SOON).toContain('devices=256')
  })

  test('exports are shown and copied', async () => {
    const page = await site.open('#/train?export=megatron')
    const text = page.getByLabel('Export for Megatron-LM')
    await expect.poll(() => text.textContent(), SOON).toContain('--tensor-model-parallel-size')
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await text.textContent())
    for (const [name, sign] of [
      ['torchtitan', 'tensor_parallel_degree'],
      ['DeepSpeed', 'train_batch_size'],
      ['sbatch', '#SBATCH'],
    ] as const) {
      await page.getByRole('button', { name, exact: true }).click()
      await expect.poll(() => page.getByLabel(`Export for ${name}`).textContent(), SOON).toContain(sign)
    }
  })

  test('a nearby batch that would be much better is suggested and applied', async () => {
    const page = await site.open('#/train?batch=977')
    const nearby = page.getByRole('list', { name: 'Better sizes nearby' })
    await expect.poll(() => nearby.innerText(), SOON).toContain('batch 1,024 instead of 977')
    await nearby.getByRole('button', { name: 'Use 1,024' }).press('Enter')
    await expect.poll(() => page.url(), SOON).not.toContain('batch=977')
    await waitUntilSettled(page)
    await expect.poll(() => nearby.count(), SOON).toBe(0)
  })
})

const BUDGET_BYTES = 350_000
const REPLAN_LIMIT_MS = 450
const FRAME_MS = 20

/** How much longer work takes than the processor time it needs: 1 on an idle machine. */
function slowdown(): number {
  const [wall, used] = [performance.now(), process.cpuUsage()]
  let sum = 0
  while (process.cpuUsage(used).user < 100_000) for (let at = 0; at < 1e5; at += 1) sum += Math.sqrt(at)
  const { user, system } = process.cpuUsage(used)
  return sum > 0 ? (performance.now() - wall) / ((user + system) / 1000) : 1
}

/** Where others use the processors too, time on the clock says nothing about the page. */
const isIdle = (): boolean => (loadavg()[0] ?? 0) < 1.5 && slowdown() < 1.3

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0

describe('budgets', { timeout: 240_000 }, () => {
  test('scripts of the first load, the worker counted', async () => {
    const page = await site.open('')
    const scripts = new Set<string>()
    page.on('request', (request) => {
      if (request.url().endsWith('.js')) scripts.add(request.url())
    })
    await page.reload()
    await waitUntilSettled(page)
    const texts = await Promise.all([...scripts].map(async (url) => (await fetch(url)).text()))
    const bytes = texts.reduce((sum, text) => sum + gzipSync(text).length, 0)
    console.log(`scripts: ${(bytes / 1000).toFixed(0)} kB gzipped`)
    expect(bytes).toBeGreaterThan(50_000)
    expect(bytes).toBeLessThan(BUDGET_BYTES)
  })

  test('dragging re-plans Llama-3.1-70B on 1,024 devices and redraws', async () => {
    const page = await site.open('#/train')
    await waitUntilSettled(page)
    await drag(page, 30)
    await page.evaluate("performance.clearMeasures('replan')")
    const worked = await mainThreadClock(page)
    const before = await worked()
    await drag(page, 60)
    await waitUntilSettled(page)
    const used = (await worked()) - before
    const taken = await page.evaluate<number[]>(
      "performance.getEntriesByName('replan').map(({ duration }) => duration).sort((a, b) => a - b)",
    )
    const [p50, p95, slow] = [percentile(taken, 0.5), percentile(taken, 0.95), slowdown()]
    console.log(
      `replan: ${taken.length} answers, p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms, everything here takes ${slow.toFixed(1)} times as long as it should`,
    )
    const planning = planningTimes()
    // The median, because others in the caches of a busy machine make single answers cost twice as much.
    const work = percentile(planning, 0.5) + used / taken.length
    console.log(
      `processor time an answer: planner p50 ${percentile(planning, 0.5).toFixed(0)} ms, p95 ${percentile(planning, 0.95).toFixed(0)} ms; page ${(used / taken.length).toFixed(0)} ms`,
    )
    expect(taken.length).toBeGreaterThan(5)
    expect(used).toBeGreaterThan(0)
    // The goal is 150 ms on the clock at p95, which an idle machine reaches; this holds what is there against getting worse, on any machine.
    expect(work).toBeLessThan(REPLAN_LIMIT_MS)
  })

  test('ten thousand strategies are zoomed smoothly', async () => {
    const page = await site.open('#/train?batch=3072&devices=1536')
    await waitUntilSettled(page)
    const points = page.getByRole('img', { name: /strategies, time of a step against memory/ })
    await points.scrollIntoViewIfNeeded()
    await points.hover()
    const frames = page.evaluate<number[]>(
      `new Promise((resolve) => { const at = []; const tick = (now) => { at.push(now); at.length < 120 ? requestAnimationFrame(tick) : resolve(at.slice(1).map((time, index) => time - at[index]).sort((a, b) => a - b)) }; requestAnimationFrame(tick) })`,
    )
    await page.keyboard.down('Control')
    for (let turn = 0; turn < 40; turn += 1) await page.mouse.wheel(0, turn % 20 < 10 ? -60 : 60)
    await page.keyboard.up('Control')
    const taken = await frames
    console.log(
      `zoom: ${await points.getAttribute('aria-label')} median frame ${percentile(taken, 0.5).toFixed(1)} ms, p90 ${percentile(taken, 0.9).toFixed(1)} ms`,
    )
    if (isIdle()) expect(percentile(taken, 0.5)).toBeLessThan(FRAME_MS)
  })
})

/** A clock of how many milliseconds the page's main thread has worked, whatever others did meanwhile. */
async function mainThreadClock(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN)
  }
}

/** Milliseconds of processor time of the planner's answers, as the worker gives them, warm; sorted. */
function planningTimes(): readonly number[] {
  const question = stateOf(TRAINING, new URLSearchParams())
  const times = Array.from({ length: 40 }, (_, at) => {
    const from = process.cpuUsage()
    planAnswer(builtInCatalog, { ...question, batch: [512, 768, 1024, 1536, 2048][at % 5] ?? 1024 })
    const { user, system } = process.cpuUsage(from)
    return (user + system) / 1000
  })
  return times.slice(15).toSorted((a, b) => a - b)
}

/** To and fro along the slider of the batch. */
async function drag(page: Page, moves: number): Promise<void> {
  const slider = page.getByRole('slider', { name: 'Batch, sequences' })
  await slider.scrollIntoViewIfNeeded()
  const box = await slider.boundingBox()
  if (!box) throw new Error('no slider')
  const middle = box.y + box.height / 2
  await page.mouse.move(box.x + box.width / 2, middle)
  await page.mouse.down()
  for (let move = 0; move < moves; move += 1) {
    await page.mouse.move(box.x + box.width * (0.5 + 0.25 * Math.sin(move / 6)), middle)
    await page.waitForTimeout(50)
  }
  await page.mouse.up()
}
