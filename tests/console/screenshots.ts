// Pictures of every page in both themes and both widths: `npm run console:screenshots -- FOLDER [PAGE...]`.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startControlPlane } from './control-plane.ts'
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
const RUNS: Pages = { runs: '#/runs' }
const OPERATION: Pages = {
  deployments: '#/deployments',
  deployment: '#/deployments?deployment=chat',
  'deployment-scaled': '#/deployments?deployment=rerank',
  fleet: '#/fleet?node=gpu-0007',
}

const wanted = process.argv.slice(3)
const chosen = (pages: Pages): readonly (readonly [string, string])[] =>
  Object.entries(pages).filter(([page]) => wanted.length === 0 || wanted.includes(page))

async function pictures(site: Site, pages: Pages, ready: (page: Page) => Promise<void>): Promise<void> {
  for (const [name, hash] of chosen(pages))
    for (const width of [1280, 390])
      for (const dark of [false, true]) {
        const page = await site.open(hash, { width, dark })
        await ready(page)
        await settled(page)
        const path = join(String(folder), `${name}-${width}-${dark ? 'dark' : 'light'}.png`)
        // What lies below the window is painted late, if at all.
        const height = await page.evaluate<number>('document.documentElement.scrollHeight')
        await page.setViewportSize({ width, height: Math.min(height, TALLEST_PX) })
        await page.screenshot({ path, fullPage: true })
        process.stdout.write(`${path}\n`)
        await site.closePages()
      }
  await site.close()
}

async function connected(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token)
  await page.keyboard.press('Enter')
}

if (chosen(STUDIOS).length > 0) await pictures(await openSite(), STUDIOS, async () => undefined)
if (chosen(RUNS).length > 0) {
  const control = await startControlPlane()
  await pictures(await openSite(control.api), RUNS, async (page) => {
    await connected(page, control.token)
    await page.getByRole('link', { name: 'tiny' }).click()
    await page.getByText('completed').first().waitFor()
    await page.getByLabel('Log of rank 0').waitFor()
  })
  control.close()
}
if (chosen(OPERATION).length > 0) {
  const plane = await startSimulatedPlane({ nodes: 1000, past_s: 2400, promoted: true })
  await pictures(await openSite(plane.api), OPERATION, async (page) => {
    await connected(page, plane.token)
    await page.locator('.card').first().waitFor()
  })
  await plane.close()
}
