// What is the same on every page: charts that are read and saved, links, search, notifications, comparing, the tour.

import { readFileSync } from 'node:fs'
import type { Download, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type SimulatedPlane, startSimulatedPlane } from './simulated-plane.ts'
import { connect, openSite, overflow, region, seriousViolations, waitUntilSettled, type Site } from './site.ts'

const SOON = { timeout: 120_000 }

let plane: SimulatedPlane
let site: Site
beforeAll(async () => {
  plane = await startSimulatedPlane({ nodes: 40, past_s: 700, promoted: false })
  site = await openSite(plane.api)
}, 300_000)
afterEach(() => site.closePages())
afterAll(async () => {
  await site?.close()
  await plane?.close()
})

async function openConnected(hash: string): Promise<Page> {
  const page = await site.open(hash)
  await connect(page, plane.token)
  return page
}

async function downloadFrom(page: Page, name: RegExp): Promise<Download> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).first().press('Enter')])
  return download
}

describe('charts and tables', { timeout: 300_000 }, () => {
  test('values are read by pointer and keys, a part is zoomed by drag and keys, and both files are saved', async () => {
    const page = await openConnected('#/deployments?deployment=chat')
    const chart = page.getByLabel(/^Time to first token \(TTFT\) over/)
    await chart.waitFor()
    await chart.scrollIntoViewIfNeeded()
    const box = await chart.boundingBox()
    if (!box) throw new Error('the chart has no place')
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    await expect.poll(() => page.locator('.tip').first().innerText(), SOON).toMatch(/revision \d+: [\d.]+ ms/)
    await page.mouse.move(0, 0)
    await chart.focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => page.locator('.tip').first().innerText(), SOON).toContain('revision')
    const tools = page.locator('.chart-tools', { has: page.getByRole('button', { name: /^Save as CSV: Time to first token/ }) })
    expect(await tools.getByRole('button', { name: 'Show all' }).isDisabled()).toBe(true)
    await page.keyboard.press('+')
    await expect.poll(() => tools.getByRole('button', { name: 'Show all' }).isDisabled(), SOON).toBe(false)
    await page.keyboard.press('0')
    await expect.poll(() => tools.getByRole('button', { name: 'Show all' }).isDisabled(), SOON).toBe(true)
    await page.mouse.move(box.x + 0.4 * box.width, box.y + 60)
    await page.mouse.down()
    await page.mouse.move(box.x + 0.7 * box.width, box.y + 60, { steps: 4 })
    await page.mouse.up()
    await expect.poll(() => tools.getByRole('button', { name: 'Show all' }).isDisabled(), SOON).toBe(false)

    const csv = readFileSync(await (await downloadFrom(page, /^Save as CSV: Time to first token/)).path(), 'utf8')
    expect(csv).toMatch(/^series,time,seconds\r\nrevision \d+,\d+/)
    const key = page.getByRole('group', { name: /^Series of Time to first token/ }).getByRole('button', { name: 'revision 1', exact: true })
    await key.press('Enter')
    expect(await key.getAttribute('aria-pressed')).toBe('false')
    const without = readFileSync(await (await downloadFrom(page, /^Save as CSV: Time to first token/)).path(), 'utf8')
    expect([/^revision 1,/m.test(csv), /^"?revision 1[, ]/m.test(without), /^"?revision \d/m.test(without)]).toEqual([true, false, true])
    const picture = readFileSync(await (await downloadFrom(page, /^Save as PNG: Time to first token/)).path())
    expect(picture.subarray(1, 4).toString()).toBe('PNG')
    expect(picture.length).toBeGreaterThan(5000)
    const table = readFileSync(await (await downloadFrom(page, /^Save as CSV: Table of replicas/)).path(), 'utf8')
    expect(table.split('\r\n')[0]).toBe('Replica,State,Where,Revision,Requests now,Since')
    expect((await downloadFrom(page, /^Save as PNG: Table of replicas/)).suggestedFilename()).toBe('table-of-replicas.png')
    expect(await seriousViolations(page)).toEqual([])
  })
})

test(
  'a table is sorted and filtered by keyboard, its address brings both back, and it is saved as shown',
  { timeout: 300_000 },
  async () => {
    const page = await openConnected('#/deployments?deployment=embed')
    const table = region(page, 'Table of replicas')
    const firstCells = (): Promise<readonly string[]> => table.locator('tbody td:first-child').allTextContents()
    await expect.poll(async () => (await firstCells()).length, SOON).toBe(24)
    const heading = table.getByRole('columnheader', { name: 'Replica', exact: true })
    expect(await heading.getAttribute('aria-sort')).toBe(null)
    await heading.getByRole('button').press('Enter')
    expect(await heading.getAttribute('aria-sort')).toBe('ascending')
    const ascending = await firstCells()
    expect(ascending).toEqual(ascending.toSorted((one, other) => Number(one.slice(1)) - Number(other.slice(1))))
    await heading.getByRole('button').press('Enter')
    expect(await heading.getAttribute('aria-sort')).toBe('descending')
    expect(await firstCells()).toEqual(ascending.toReversed())
    await page.getByLabel('Filter: Table of replicas').fill(ascending[4] ?? '')
    await expect.poll(firstCells, SOON).toContain(ascending[4])
    const shown = await firstCells()
    expect(shown.length).toBeLessThan(24)
    await expect.poll(() => page.url(), SOON).toContain('deployment=embed&replicas.sort=-replica&replicas.find=')
    await page.reload()
    await expect.poll(firstCells, SOON).toEqual(shown)
    const csv = readFileSync(await (await downloadFrom(page, /^Save as CSV: Table of replicas/)).path(), 'utf8')
    expect(
      csv
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',')[0]),
    ).toEqual(shown)
    expect(await seriousViolations(page)).toEqual([])
  },
)

test('lists of bars are saved as files', { timeout: 300_000 }, async () => {
  const page = await openConnected('#/fleet')
  await page.getByRole('button', { name: 'Save as CSV: Time by cause' }).waitFor()
  const csv = readFileSync(await (await downloadFrom(page, /^Save as CSV: Time by cause/)).path(), 'utf8')
  expect(csv).toMatch(/^cause,time,remark\r\n/)
  expect(csv).toMatch(/compute,[\d.]+ h,"[\d.]+ %, predicted [\d.]+ h"/)
  const picture = readFileSync(await (await downloadFrom(page, /^Save as PNG: Time by cause/)).path())
  expect(picture.subarray(1, 4).toString()).toBe('PNG')
  expect(picture.length).toBeGreaterThan(5000)
})

test('a list that scrolls is saved whole, and timelines are saved', { timeout: 300_000 }, async () => {
  const page = await openConnected('#/fleet')
  const list = page.getByLabel('Runs against their plans')
  await list.waitFor()
  const heightOf = async (): Promise<number> => (await list.boundingBox())?.height ?? 0
  const whole = await heightOf()
  // Not as an element: the policy of the console forbids styles that are not in its files.
  await page.evaluate(`{
    const sheet = new CSSStyleSheet()
    sheet.replaceSync('.tall { max-height: 20px }')
    document.adoptedStyleSheets.push(sheet)
  }`)
  await expect.poll(heightOf, SOON).toBeLessThan(whole)
  const picture = readFileSync(await (await downloadFrom(page, /^Save as PNG: Measured against predicted/)).path())
  // Height in the header of the file, at twice the resolution of the screen.
  expect(picture.readUInt32BE(20)).toBeGreaterThanOrEqual(2 * whole)

  await page.evaluate("location.hash = '#/deployments?deployment=chat'")
  await page.getByRole('button', { name: 'Save as CSV: Revisions of chat' }).waitFor()
  const spans = readFileSync(await (await downloadFrom(page, /^Save as CSV: Revisions of chat/)).path(), 'utf8')
  expect(spans).toMatch(/^revision,as,from,to,end\r\n1,live,\d{4}-\d{2}-\d{2}T/)
  const windows = readFileSync(await (await downloadFrom(page, /^Save as CSV: SLO attainment/)).path(), 'utf8')
  expect(windows).toMatch(/^window,TTFT met,TPOT met,answered met\r\n.*,(yes|no),(yes|no),(yes|no)/)
  await page.getByLabel('Filter: Events, newest first').fill('replica-')
  await expect.poll(() => page.url(), SOON).toContain('events.find=replica-')
  const events = readFileSync(await (await downloadFrom(page, /^Save as CSV: Events/)).path(), 'utf8')
  const [heads, ...lines] = events.split('\r\n')
  expect(heads).toBe('at,event,actor,fields')
  expect(lines.filter((line) => !line.includes('replica-'))).toEqual([])
  expect((await downloadFrom(page, /^Save as PNG: Revisions of chat/)).suggestedFilename()).toBe('revisions-of-chat.png')
})

describe('finding the way', { timeout: 300_000 }, () => {
  test('search finds what there is by keyboard, and goes there', async () => {
    const page = await openConnected('#/fleet')
    await region(page, 'The fleet').waitFor()
    await page.keyboard.press('Control+k')
    const box = page.getByRole('combobox', { name: /^Search runs/ })
    await box.fill('rerank')
    await page.getByRole('option', { name: /deployment rerank/ }).waitFor()
    expect(await seriousViolations(page)).toEqual([])
    await box.press('Enter')
    await expect.poll(() => page.url(), SOON).toContain('deployment=rerank')
    // A click would hit the bar where the page is scrolled.
    await page.locator('main').focus()
    await page.keyboard.press('/')
    await box.fill('gpu-0003')
    await page.getByRole('option', { name: /node gpu-0003/ }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => box.count(), SOON).toBe(0)
  })

  test('rows are links that open in another tab, and Back goes back', async () => {
    const page = await openConnected('#/deployments')
    const link = region(page, 'Table of deployments').getByRole('link', { name: 'chat' })
    await link.waitFor()
    expect(await link.getAttribute('href')).toBe('#/deployments?deployment=chat')
    await link.press('Enter')
    await region(page, 'The deployment').waitFor()
    await page.goBack()
    await region(page, 'Table of deployments').waitFor()
  })

  test('Back is not undone by the address that the page was about to write', async () => {
    const page = await openConnected('#/deployments')
    await region(page, 'Table of deployments').waitFor()
    const places = await page.evaluate<string[]>(`(async () => {
      const seen = []
      for (let pause_ms = 120; pause_ms <= 156; pause_ms += 2) {
        location.hash = '#/deployments?deployment=chat'
        await new Promise((done) => setTimeout(done, pause_ms))
        history.back()
        await new Promise((done) => addEventListener('hashchange', done, { once: true }))
        await new Promise((done) => setTimeout(done, 200))
        seen.push(location.hash)
      }
      return seen
    })()`)
    expect(new Set(places)).toEqual(new Set(['#/deployments']))
  })

  test('what needs a person is counted, named and linked', async () => {
    const page = await openConnected('#/deployments')
    const bell = page.getByRole('button', { name: /^Notifications, \d+ new/ })
    await bell.waitFor()
    await bell.press('Enter')
    const panel = region(page, 'Notifications')
    await expect.poll(() => panel.getByRole('link').count(), SOON).toBeGreaterThan(0)
    expect(await seriousViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect.poll(() => panel.count(), SOON).toBe(0)
    expect(await page.getByRole('button', { name: 'Notifications', exact: true }).count()).toBe(1)
  })

  test('a page that is not there says so', async () => {
    const page = await site.open('#/nowhere')
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Page not found')
  })

  test('a first visit is shown around, once', async () => {
    const page = await site.open('#/train', { firstVisit: true })
    const tour = page.getByRole('dialog', { name: 'Tour' })
    await tour.waitFor()
    await waitUntilSettled(page)
    await tour.getByRole('button', { name: 'Next' }).press('Enter')
    expect(await tour.textContent()).toContain('2 of 4')
    expect(await seriousViolations(page)).toEqual([])
    await tour.getByRole('button', { name: 'Skip the tour' }).press('Enter')
    await expect.poll(() => tour.count(), SOON).toBe(0)
    await page.reload()
    await waitUntilSettled(page)
    expect(await tour.count()).toBe(0)
  })
})

describe('comparing', { timeout: 300_000 }, () => {
  test('two runs: figures, loss, pace, time by cause, and what was different', async () => {
    const page = await openConnected('#/compare')
    await expect.poll(() => region(page, 'Table of figures').textContent(), SOON).toContain('step time')
    await expect.poll(() => region(page, 'Table of causes').textContent(), SOON).toContain('compute')
    await expect.poll(() => page.getByLabel(/^Step time of both runs/).count(), SOON).toBe(1)
    expect(await seriousViolations(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    await expect.poll(() => overflow(page), { timeout: 10_000 }).toBe(0)
  })

  test('two plans: what they decide and predict, and only where they differ', async () => {
    const page = await openConnected('#/compare?kind=plans')
    await expect.poll(() => region(page, 'Table of predictions').textContent(), SOON).toMatch(/step: matrix products[\d.]+ s/)
    expect(await region(page, 'Table of decisions').textContent()).toContain('fleet: devices')
    expect(await region(page, 'Table of decisions').textContent()).not.toContain('apiVersion')
    const second = page.getByLabel('Second')
    const other = await second.locator('option').nth(2).getAttribute('value')
    await second.selectOption(other)
    await expect.poll(() => page.url(), SOON).toContain(`right=${other}`)
    await expect.poll(() => region(page, 'Table of predictions').textContent(), SOON).toContain(String(other))
  })

  test('two revisions: what changed, and how each answers', async () => {
    const page = await openConnected('#/compare?kind=revisions&deployment=chat&left=1&right=3')
    await expect.poll(() => region(page, 'How they answer').textContent(), SOON).toContain('TTFT')
    await expect.poll(() => region(page, 'What changed').textContent(), SOON).toMatch(/argv|model|plan/)
    expect(await seriousViolations(page)).toEqual([])
  })
})
