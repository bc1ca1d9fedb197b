// Pictures of every page in both themes, on a desk (1440 x 900) and in a hand (390 x 844): `npm run console:screenshots -- FOLDER [PAGE...]`.
// Each is taken as the window shows it, and as a whole.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startPlaneWithRun } from './control-plane.ts'
import { startSimulatedPlane } from './simulated-plane.ts'
import { openSite, settled, type Site } from './site.ts'

const folder = process.argv[2]
if (folder === undefined) throw new Error('name the folder for the pictures')
mkdirSync(folder, { recursive: true })

const TALLEST_PX = 8000

type Pages = Readonly<Record<string, string>>

const STUDIOS: Pages = {
  train: '#/train',
  'train-derivation': '#/train?why=cost',
  'train-does-not-fit': '#/train?model=meta-llama%2FLlama-3.1-405B&devices=8',
  'train-failures': '#/train?why=checkpoint%20interval',
  serve: '#/serve',
  'serve-derivation': '#/serve?why=first%20token',
  laws: '#/laws',
  catalog: '#/catalog?against=b200',
}
const RUNS: Pages = { run: '#/runs', 'compare-runs': '#/compare' }
const OPERATION: Pages = {
  deployments: '#/deployments',
  deployment: '#/deployments?deployment=chat',
  'deployment-scaled': '#/deployments?deployment=rerank',
  fleet: '#/fleet?node=gpu-0007',
  runs: '#/runs',
  'compare-revisions': '#/compare?kind=revisions&deployment=chat&left=1&right=2',
  'not-found': '#/nowhere',
}

const WINDOWS = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const

const wanted = process.argv.slice(3)
const chosen = (pages: Pages): readonly (readonly [string, string])[] =>
  Object.entries(pages).filter(([page]) => wanted.length === 0 || wanted.includes(page))

async function pictures(site: Site, pages: Pages, ready: (page: Page, name: string) => Promise<void>): Promise<void> {
  for (const [name, hash] of chosen(pages))
    for (const { width, height } of WINDOWS)
      for (const dark of [false, true]) {
        const page = await site.open(hash, { width, height, dark })
        await ready(page, name)
        const path = (part: string): string => join(String(folder), `${name}-${width}-${dark ? 'dark' : 'light'}${part}.png`)
        await page.screenshot({ path: path('') })
        // What lies below the window is painted late, if at all.
        const whole = await page.evaluate<number>('document.documentElement.scrollHeight')
        await page.setViewportSize({ width, height: Math.min(whole, TALLEST_PX) })
        await page.screenshot({ path: path('-whole'), fullPage: true })
        process.stdout.write(`${path('')}\n`)
        await site.closePages()
      }
  await site.close()
}

async function connected(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token)
  await page.keyboard.press('Enter')
}

if (chosen(STUDIOS).length > 0)
  await pictures(await openSite(), STUDIOS, async (page) => {
    await settled(page)
  })
if (chosen(RUNS).length > 0) {
  const control = await startPlaneWithRun()
  await pictures(await openSite(control.api), RUNS, async (page, name) => {
    await connected(page, control.token)
    if (name === 'run') {
      await page.getByRole('link', { name: 'tiny' }).click()
      await page.getByText('completed').first().waitFor()
      await page.getByLabel('Log of rank 0').waitFor()
    } else {
      await page.getByLabel('First').selectOption({ index: 0 })
      await page.getByLabel('Second').selectOption({ index: 0 })
    }
    await settled(page)
  })
  await control.close()
}
if (chosen(OPERATION).length > 0) {
  const plane = await startSimulatedPlane({ nodes: 1000, past_s: 2400, promoted: true })
  await pictures(await openSite(plane.api), OPERATION, async (page, name) => {
    if (name === 'not-found') return
    await connected(page, plane.token)
    await page.locator('.card').first().waitFor()
    await settled(page)
  })
  await plane.close()
}
