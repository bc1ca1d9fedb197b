// Pictures of every page in both themes and both widths: `npm run console:screenshots -- FOLDER [PAGE...]`.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startControlPlane } from './control-plane.ts'
import { openSite, settled } from './site.ts'

const folder = process.argv[2]
if (folder === undefined) throw new Error('name the folder for the pictures')
mkdirSync(folder, { recursive: true })

const PAGES = {
  train: '#/train',
  'train-derivation': '#/train?why=cost',
  'train-does-not-fit': '#/train?model=meta-llama%2FLlama-3.1-405B&devices=8',
  serve: '#/serve',
  laws: '#/laws',
  catalog: '#/catalog?against=b200',
  runs: '#/runs',
} as const

const control = await startControlPlane()
const site = await openSite(control.api)
const wanted = process.argv.slice(3)
for (const [name, hash] of Object.entries(PAGES).filter(([page]) => wanted.length === 0 || wanted.includes(page)))
  for (const width of [1280, 390])
    for (const dark of [false, true]) {
      const page = await site.open(hash, { width, dark })
      if (name === 'runs') {
        await page.getByLabel('Token').fill(control.token)
        await page.keyboard.press('Enter')
        await page.getByRole('button', { name: 'tiny' }).click()
        await page.getByText('completed').first().waitFor()
        await page.getByLabel('Log of rank 0').waitFor()
      }
      await settled(page)
      const path = join(folder, `${name}-${width}-${dark ? 'dark' : 'light'}.png`)
      await page.screenshot({ path, fullPage: true })
      process.stdout.write(`${path}\n`)
      await site.closePages()
    }
await site.close()
control.close()
