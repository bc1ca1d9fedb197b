// The console as a static site, built once, with Chromium in front of it.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { CONSOLE_HEADERS } from '@ironlaw/server/console-files'
import axe from 'axe-core'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { preview } from 'vite'

const CONSOLE = join(import.meta.dirname, '../../packages/apps/console')
const VITE = join(import.meta.dirname, '../../node_modules/vite/bin/vite.js')
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const QUIET = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync']

export type Site = {
  readonly address: string
  readonly open: (hash: string, options?: PageOptions) => Promise<Page>
  /** Pages go on working while they are open. */
  readonly closePages: () => Promise<void>
  readonly close: () => Promise<void>
}

export type PageOptions = {
  readonly width?: number
  readonly height?: number
  readonly dark?: boolean
  /** Nobody took the tour or skipped it yet. */
  readonly firstVisit?: boolean
}

/** With the address of a control plane, the site has its API too. */
export async function openSite(api?: string): Promise<Site> {
  if (!existsSync(CHROMIUM)) throw new Error(`no Chromium at ${CHROMIUM}: apt-get install chromium, or set CHROMIUM`)
  const outDir = buildSite()
  const server = await preview({
    root: CONSOLE,
    configFile: false,
    logLevel: 'error',
    build: { outDir },
    preview: { port: 0, host: '127.0.0.1', headers: CONSOLE_HEADERS, ...(api !== undefined && { proxy: { '/v1': api } }) },
  })
  const site = await openSiteAt(server.resolvedUrls?.local[0] ?? '')
  return {
    ...site,
    close: async () => {
      await site.close()
      await server.close()
    },
  }
}

/** Chromium in front of a site that something else serves. */
export async function openSiteAt(address: string): Promise<Site> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET })
  return {
    address,
    open: (hash, look = {}) => openPage(browser, `${address}${hash}`, look),
    closePages: async () => {
      for (const context of browser.contexts()) await context.close()
    },
    close: () => browser.close(),
  }
}

let builtFolder: string | undefined

/** Once a process: it takes seconds, and every test of it wants the same. */
export function buildSite(): string {
  if (builtFolder !== undefined) return builtFolder
  const outDir = mkdtempSync(join(tmpdir(), 'ironlaw-console-'))
  // In a process of its own: the test runner's NODE_ENV would bring React's development build.
  execFileSync(process.execPath, [VITE, 'build', CONSOLE, '--outDir', outDir, '--logLevel', 'error'], {
    env: { ...process.env, NODE_ENV: 'production' },
  })
  process.once('exit', () => rmSync(outDir, { recursive: true, force: true }))
  return (builtFolder = outDir)
}

const RECORD_VIOLATIONS = `
  globalThis.policyViolations = []
  addEventListener('securitypolicyviolation', (event) =>
    policyViolations.push(event.effectiveDirective + ' ' + event.blockedURI + ' ' + event.sourceFile + ':' + event.lineNumber))
`

/** What the content security policy of the console has stopped since the page was opened. */
export const policyViolations = (page: Page): Promise<readonly string[]> => page.evaluate<string[]>('policyViolations')

async function openPage(
  browser: Browser,
  url: string,
  { width = 1280, height = 900, dark = false, firstVisit = false }: PageOptions,
): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await context.addInitScript(RECORD_VIOLATIONS)
  if (!firstVisit) await context.addInitScript("localStorage.setItem('ironlaw-tour', 'seen')")
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  page.on('pageerror', (error) => {
    throw error
  })
  await page.goto(url)
  return page
}

/** Gives a page its token, by keyboard. */
export async function connect(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token', { exact: true }).fill(token)
  await page.keyboard.press('Enter')
}

/** A card or a table, by its whole name. */
export const region = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true })

type Violations = {
  readonly violations: readonly { readonly id: string; readonly impact: string; readonly nodes: readonly { readonly html: string }[] }[]
}

/** What axe calls serious or worse, by rule and element. */
export async function seriousViolations(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe.source)
  // Details of what is fine would double the time.
  const { violations } = await page.evaluate<Violations>('axe.run({ resultTypes: ["violations"] })')
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
}

/** No part of a page sticks out to the right. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate<number>('document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth')

/** Everything that comes late has come. */
export const waitUntilSettled = (page: Page): Promise<void> =>
  waitUntilTrue(page, 'document.querySelector(".card") && !document.querySelector("[aria-busy=true], .skeleton")')

const SETTLED_WITHIN_MS = 60_000
const LOOK_EVERY_MS = 50

/** Playwright's own waitForFunction calls eval in the page, which the policy of the console forbids. */
export async function waitUntilTrue(page: Page, expression: string): Promise<void> {
  for (const deadline = Date.now() + SETTLED_WITHIN_MS; !(await page.evaluate<boolean>(`Boolean(${expression})`));) {
    if (Date.now() > deadline) throw new Error(`not true within ${SETTLED_WITHIN_MS / 1000} s: ${expression}`)
    await pause(LOOK_EVERY_MS)
  }
}
