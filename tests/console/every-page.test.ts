// Pages that need a control plane behind them, and that no page of the bar was forgotten. Those without one: every-studio.test.ts.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openPart } from './all-pages.ts'
import { checkPages, PARTS } from './page-checks.ts'

checkPages(PARTS.filter(({ start }) => start !== undefined))

test('every page of the bar is among them', async () => {
  const connected = PARTS.find(({ title }) => title === 'with nothing in it')
  if (!connected) throw new Error('no pages')
  const opened = await openPart(connected)
  // Of an administrator: some links are there once it is known who it is.
  const ready = (each: Page): Promise<void> => each.getByRole('link', { name: 'Audit', exact: true }).waitFor()
  const page = await opened.open({ name: 'runs', hash: '#/runs', ready })
  const links = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').all()
  const pages = await Promise.all(links.map((link) => link.getAttribute('href')))
  const known = new Set(PARTS.flatMap(({ places }) => places.map(({ hash }) => hash.split('?')[0])))
  expect(pages.filter((each) => each === null || !known.has(each))).toEqual([])
  await opened.close()
}, 240_000)
