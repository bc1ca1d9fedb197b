// Pictures of every page in both themes, on a desk (1440 x 900) and in a hand (390 x 844): `npm run console:screenshots -- FOLDER [PAGE...]`.
// Each is taken as the window shows it, and as a whole. With --docs in place of the folder, those of the
// documentation are taken anew.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openPart, type Part, partsOf } from './all-pages.ts'

const [folder, ...wanted] = process.argv.slice(2)
if (folder === undefined) throw new Error('name the folder for the pictures')

const DOCS = join(import.meta.dirname, '../../docs/images')

type Documented = { readonly file: string; readonly dark?: boolean; readonly isWhole?: boolean }

/** By page: what the guide of the console shows of it. */
const DOCUMENTED: Readonly<Record<string, Documented>> = {
  train: { file: 'console-train' },
  serve: { file: 'console-serve', dark: true },
  laws: { file: 'console-laws' },
  'catalog-compared': { file: 'console-catalog' },
  run: { file: 'console-runs', isWhole: true },
  deployment: { file: 'console-deployment', isWhole: true },
  fleet: { file: 'console-fleet', isWhole: true },
}

const TALLEST_PX = 8000
/** Of a page in a guide; below lie lists. */
const DOCS_TALLEST_PX = 2200

const WINDOWS = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const

async function takePictures(part: Part, into: string): Promise<void> {
  const opened = await openPart(part)
  for (const place of part.places)
    for (const { width, height } of WINDOWS)
      for (const dark of [false, true]) {
        const page = await opened.open(place, { width, height, dark })
        const path = (kind: string): string => join(into, `${place.name}-${width}-${dark ? 'dark' : 'light'}${kind}.png`)
        await page.screenshot({ path: path('') })
        // What lies below the window is painted late, if at all.
        const whole = await page.evaluate<number>('document.documentElement.scrollHeight')
        await page.setViewportSize({ width, height: Math.min(whole, TALLEST_PX) })
        await page.screenshot({ path: path('-whole'), fullPage: true })
        process.stdout.write(`${path('')}\n`)
        await opened.site.closePages()
      }
  await opened.close()
}

async function documented(part: Part): Promise<void> {
  const opened = await openPart(part)
  for (const place of part.places) {
    const { file, dark = false, isWhole = false } = DOCUMENTED[place.name] ?? { file: place.name }
    const page = await opened.open(place, { width: 1280, height: 860, dark })
    const whole = await page.evaluate<number>('document.documentElement.scrollHeight')
    if (isWhole) await page.setViewportSize({ width: 1280, height: Math.min(whole, DOCS_TALLEST_PX) })
    await page.screenshot({ path: join(DOCS, `${file}.png`) })
    await opened.site.closePages()
  }
  await opened.close()
}

const isDocs = folder === '--docs'
if (!isDocs) mkdirSync(folder, { recursive: true })
for (const part of partsOf({ nodes: 1000, past_s: 2400, promoted: true })) {
  const places = part.places.filter(({ name }) => (wanted.length === 0 || wanted.includes(name)) && (!isDocs || name in DOCUMENTED))
  if (places.length > 0) await (isDocs ? documented({ ...part, places }) : takePictures({ ...part, places }, folder))
}
