// The pages of the registry against a real control plane, with versions and evaluations that the command line added.

import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { CREATED_TOKEN } from '@ironlaw/contracts/api'
import { type RegistryPlane, startPlaneWithModels } from './registry-plane.ts'
import { connect, openSite, overflow, policyViolations, region, type Site } from './site.ts'

const SLOW = { timeout: 240_000 }
const SOON = { timeout: 60_000 }

let plane: RegistryPlane
let site: Site
beforeAll(async () => {
  plane = await startPlaneWithModels()
  site = await openSite(plane.api)
}, 300_000)
afterEach(() => site.closePages())
afterAll(async () => {
  await site?.close()
  await plane?.close()
})

async function open(hash: string, token = plane.token): Promise<Page> {
  const page = await site.open(hash)
  await connect(page, token)
  return page
}

const readText = (page: Page, name: string): Promise<string> => region(page, name).innerText()

test('versions are listed page by page, by name and by state, and each page is one request', SLOW, async () => {
  const page = await open('#/registry')
  const table = region(page, 'Table of versions')
  await expect.poll(() => table.innerText(), SOON).toMatch(/chat@2[^]*refused[^]*chat@1[^]*released/)
  expect(await table.getByRole('row').count()).toBe(51)
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.getByRole('link', { name: 'Older' }).click()
  await table.getByRole('link', { name: 'nightly@1', exact: true }).waitFor()
  expect(asked.filter((path) => path.includes('/models/') || path.includes('/artifacts'))).toEqual([])
  await page.goBack()
  await table.getByRole('link', { name: 'chat@2', exact: true }).waitFor()
  await page.getByLabel('State').selectOption('released')
  await expect.poll(() => table.getByRole('row').count(), SOON).toBe(2)
  expect(await table.innerText()).toMatch(/chat@1.*\n?.*released/)
  await page.getByLabel('Name').fill('nightly')
  await page.getByText('No version in default matches').waitFor()
  await page.getByLabel('State').selectOption('candidate')
  await table.getByRole('link', { name: 'nightly@60', exact: true }).waitFor()
  // The address follows what is shown.
  await expect.poll(() => page.url(), SOON).toMatch(/(?=.*state=candidate).*name=nightly/)
})

test('a version shows who decided what and why, where it came from, what it serves and what is missing', SLOW, async () => {
  const page = await open(`#/registry?version=${plane.versions.first}`)
  await expect.poll(() => readText(page, 'Decisions'), SOON).toMatch(/released[^]*Not worse by more than 5 points[^]*accuracy 0.868/)
  expect(await readText(page, 'Table of facts')).toMatch(/code\s+4f1c2ab\s+stated[^]*cost[^]*cost usd\s+\d+[^]*the ledger of the run/)
  expect(await readText(page, 'What is missing')).toContain('--fact licence=apache-2.0')
  await expect.poll(() => readText(page, 'Table of deployments'), SOON).toMatch(/assistant\s+serves/)
  const lineage = region(page, 'Lineage')
  for (const name of ['corpus', 'chat-sums', 'assistant']) await lineage.getByRole('link', { name: new RegExp(`^${name}`) }).waitFor()
  // What is below the window is not laid out, and has no inner text.
  await expect.poll(() => region(page, 'Table of files').textContent(), SOON).toMatch(/model-q8_0.gguf\s*q8_0/)
  await page.getByRole('radio', { name: 'evaluations' }).check()
  await region(page, 'Table of evaluations').getByRole('link', { name: 'chat-sums', exact: true }).click()
  await expect.poll(() => readText(page, 'Table of slices'), SOON).toMatch(/length\s+three digits\s+50\s+0.640\s+0.524 to 0.742/)
  expect(await readText(page, 'Instrument')).toMatch(/engine\s+vllm/)
})

test('the gates that a decision rests on are a checklist with figures, limits, reasons and links to the evidence', SLOW, async () => {
  const page = await open(`#/registry?version=${plane.versions.second}`)
  const gates = page.getByRole('list', { name: 'Gates of chat' })
  await gates.waitFor()
  const item = (name: string) => gates.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) })
  expect(await item('latency').innerText()).toMatch(
    /✗[^]*refused[^]*250 of 250 items took more than 1 ms[^]*at most 5\.0 %[^]*What would change it: a limit of/,
  )
  expect(await item('evaluation').innerText()).toMatch(
    /\?[^]*undecided[^]*-0\.40 points \(-2\.27 to \+2\.09\) of 250[^]*at least -0\.50 points/,
  )
  expect(await item('memory').innerText()).toMatch(
    /~[^]*waived[^]*Waived until 2999-12-31 by ana: the new nodes have more[^]*1\.9\d? GB[^]*at most 1 GB/,
  )
  expect(await item('complete').innerText()).toMatch(/✓[^]*passed[^]*Evidence: this version/)
  expect(await item('groups').innerText()).toMatch(/predictions\.jsonl [0-9a-f]{12}/)
  await item('evaluation').getByRole('link', { name: 'candidate-sums' }).click()
  await region(page, 'Table of slices').waitFor()
  const first = await open(`#/registry?version=${plane.versions.first}`)
  await first.getByText('9 passed').waitFor()
  await first.getByRole('list', { name: 'Gates of chat' }).getByRole('link', { name: 'chat-sums' }).first().waitFor()
})

test('a release.json that holds markup or another shape is shown as text, and breaks nothing', SLOW, async () => {
  const page = await open(`#/registry?version=${plane.versions.bare}`)
  const decisions = region(page, 'Decisions')
  await decisions.getByText('The release check of claim-1 cannot be shown').waitFor()
  expect(await decisions.innerText()).toMatch(/gates: [^]*The release check of claim-2 cannot be shown/)
  expect(await decisions.locator('img, script').count()).toBe(0)
  const links = await decisions.getByRole('link').all()
  expect(links).toHaveLength(4)
  for (const link of links) expect(await link.getAttribute('href')).toMatch(/^#\/artifacts\?/)
  expect(await overflow(page)).toBe(0)
  expect(await policyViolations(page)).toEqual([])
  await region(page, 'Decide').getByLabel('Why').waitFor()
})

test('an operator releases a version with a reason and evidence; one that lacks facts cannot be released, and says why', SLOW, async () => {
  const page = await open(`#/registry?version=${plane.versions.second}`)
  const card = region(page, 'Decide')
  const release = card.getByRole('button', { name: 'Release' })
  await card.getByText('Say why').waitFor()
  expect(await release.isDisabled()).toBe(true)
  await card.getByRole('radio', { name: 'waive' }).check()
  await card.getByLabel('Why').fill('Only for the demo.')
  await card.getByText('A waiver ends on a day within a year').waitFor()
  await card.getByLabel('Until').fill(new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10))
  await card.getByLabel(/candidate-sums/).check()
  await card.getByRole('button', { name: 'Waive' }).press('Enter')
  await card.getByRole('button', { name: 'Confirm: waive chat@2' }).press('Enter')
  await card.getByText('Decision 2: waived').waitFor()
  await expect.poll(() => readText(page, 'Decisions'), SOON).toMatch(/waived[^]*decision 2, until[^]*demo[^]*Evidence[^]*refused/)
  const bare = await open(`#/registry?version=${plane.versions.bare}`)
  await region(bare, 'Decide').getByLabel('Why').fill('It looks good.')
  await region(bare, 'Decide').getByText('It lacks code, data, configuration, environment').waitFor()
  expect(await region(bare, 'Decide').getByRole('button', { name: 'Release' }).isDisabled()).toBe(true)
  await region(bare, 'Decide').getByRole('radio', { name: 'retire' }).check()
  expect(await region(bare, 'Decide').getByRole('button', { name: 'Retire' }).isDisabled()).toBe(false)
})

test('two evaluations are compared item by item, what was lost first, with what was asked and said', SLOW, async () => {
  const { steady, careless, other } = plane.evaluations
  const page = await open(`#/compare?kind=evaluations&left=${steady}&right=${careless}&project=default`)
  await expect.poll(() => readText(page, 'Table of slices'), SOON).toMatch(/all items\s+250\s+\d+\.\d %\s+-\d\.\d\d/)
  expect(await readText(page, 'Verdict')).toMatch(/^Verdict\s+(worse|undecided)/)
  const items = region(page, 'Items')
  await expect
    .poll(() => items.innerText(), SOON)
    .toMatch(/lost\s+sum-\d+\s+1 to 0[^]*Asked\s+\d+ \+ \d+ =[^]*Right\s+\d+[^]*First said\s+\d+[^]*Second said\s+\d+/)
  await items.getByRole('radio', { name: 'all' }).check()
  await items.getByText('1 to 20 of 250').waitFor()
  await items.getByRole('button', { name: 'Next' }).click()
  await items.getByText('21 to 40 of 250').waitFor()
  await items.getByRole('searchbox').fill('sum-250')
  await items.getByText('1 of 250').waitFor()
  await page.getByLabel('Margin, points').fill('30')
  await expect.poll(() => readText(page, 'Verdict'), SOON).toMatch(/^Verdict\s+as good/)
  await page.evaluate(`location.hash = '#/compare?kind=evaluations&left=${other}&right=${careless}&project=default'`)
  await page.getByRole('alert').getByText('engine: vllm, then adder').waitFor()
  await page.getByRole('button', { name: 'Compare all the same' }).click()
  await page.getByText(/^Compared although engine/).waitFor()
})

test('the cards of a version are shown as the API writes them, and saved', SLOW, async () => {
  const page = await open(`#/registry?version=${plane.versions.first}`)
  const cards = region(page, 'Cards')
  await cards.getByRole('button', { name: 'CycloneDX 1.6' }).click()
  const text = cards.getByLabel('Cards: CycloneDX 1.6')
  await expect.poll(() => text.innerText(), SOON).toContain('"specVersion": "1.6"')
  const [download] = await Promise.all([page.waitForEvent('download'), cards.getByRole('button', { name: /^Save / }).click()])
  expect(readFileSync(await download.path(), 'utf8').trim()).toBe((await text.innerText()).trim())
  expect(download.suggestedFilename()).toMatch(/\.json$/)
  await cards.getByRole('button', { name: 'README for Hugging Face' }).click()
  await expect.poll(() => readText(page, 'Cards'), SOON).toMatch(/---[^]*model-index/)
  await cards.getByText(/facts? that readers look for/).click()
  expect(await cards.getByRole('list').innerText()).toMatch(/intended use\s+ironlaw artifact add DIR --type model --fact intended_use=/)
  await cards.getByRole('button', { name: 'README for Hugging Face' }).click()
  expect(await cards.getByRole('button', { name: /^Save / }).count()).toBe(0)
})

test('a member reads a version and is not offered to decide', SLOW, async () => {
  const answer = await fetch(`${plane.api}/v1/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${plane.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'member', role: 'member', projects: ['default'] }),
  })
  const page = await open(`#/registry?version=${plane.versions.first}`, CREATED_TOKEN.parse(await answer.json()).secret)
  await region(page, 'Decide').getByText('To decide takes the role operator in default').waitFor()
  expect(await region(page, 'Decide').getByRole('button').count()).toBe(0)
  expect(await page.getByRole('alert').count()).toBe(0)
})
