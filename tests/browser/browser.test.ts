// Proof that the core has no Node dependency: bundled for a page, it works in Chromium.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

test('units, laws, catalog and models work in a page', { timeout: 90_000 }, async () => {
  expect(existsSync(CHROMIUM), `no Chromium at ${CHROMIUM}: apt-get install chromium, or set CHROMIUM`).toBe(true)
  const folder = mkdtempSync(join(tmpdir(), 'ironlaw-page-'))
  const bundle = await rolldown({ input: join(import.meta.dirname, 'page.ts'), platform: 'browser' })
  const { output } = await bundle.generate({ format: 'iife' })
  await bundle.close()
  writeFileSync(
    join(folder, 'page.html'),
    `<!doctype html><meta charset="utf-8"><title>loading</title><script>${output[0].code.replaceAll('</script', '<\\/script')}</script>`,
  )

  const browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET })
  try {
    const page = await browser.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(String(error)))
    await page.goto(pathToFileURL(join(folder, 'page.html')).href)
    expect(errors).toEqual([])
    const result: unknown = JSON.parse(await page.title())
    expect(result).toMatchObject({ units: '50 GB/s', peak: '989 TFLOP/s', failed: 0 })
  } finally {
    await browser.close()
    rmSync(folder, { recursive: true })
  }
})
