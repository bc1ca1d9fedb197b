// What holds on every page, in every state that looks different: nothing serious for axe in both themes on a desk and in a hand, nothing that
// makes a page scroll sideways, nothing that keys alone do not reach, and nothing that the content security policy forbids. The pages are divided
// among test files, which run beside each other.

import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type OpenedPart, openPart, type Part, partsOf } from './all-pages.ts'
import { overflow, policyViolations, seriousViolations } from './site.ts'

/** Colours are the same in both widths, and the order of things in both themes. */
const LOOKS = [
  { width: 1280, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const

export const PARTS = partsOf({ nodes: 40, past_s: 700, promoted: false })

export function checkPages(parts: readonly Part[]): void {
  describe.each(parts)('$title', { timeout: 240_000 }, (part) => {
    let opened: OpenedPart
    beforeAll(async () => {
      opened = await openPart(part)
    }, 300_000)
    afterEach(() => opened.site.closePages())
    afterAll(() => opened?.close())

    test.each(part.places)('$name', async (place) => {
      const page = await opened.open(place)
      expect(await unreached(page), 'reached by no key').toEqual([])
      for (const { width, colorScheme } of LOOKS) {
        await page.setViewportSize({ width, height: 844 })
        await page.emulateMedia({ colorScheme })
        await expect.poll(() => overflow(page), { message: `sticks out at ${width} px`, timeout: 10_000 }).toBe(0)
        await expect.poll(() => seriousViolations(page), { message: `${width} px, ${colorScheme}`, timeout: 60_000 }).toEqual([])
      }
      expect(await policyViolations(page), 'stopped by the content security policy').toEqual([])
    })
  })
}

/** The list of laws is long; a page that has more is a trap. */
const MOST_PRESSES = 1500

const MARK_STOPS = `
  const isUsable = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.disabled && element.tabIndex >= 0
  const nameOf = (element) => element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent
  const inside = document.querySelector('dialog:modal') ?? document
  // Of radio buttons the chosen one is a stop; arrow keys choose another.
  for (const element of inside.querySelectorAll('a[href], button, input:not([type=radio]:not(:checked)), select, textarea, summary, [tabindex]'))
    if (isUsable(element)) element.dataset.stop = nameOf(element).trim().slice(0, 60)
  document.querySelector('.skip').focus()
`
/** At every press, which is over when the key comes up: what has the focus now, and whether it has left the page at its end. */
const VISIT_STOPS = `
  globalThis.isLeft = false
  const visit = () => {
    const element = document.activeElement
    if (element) delete element.dataset.stop
    if (element === null || element === document.body) isLeft = true
  }
  visit()
  addEventListener('keyup', visit, { capture: true })
`
const TAB = { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 }
/** Presses sent at once: the browser then draws once for several of them, which is most of what one costs. */
const PRESSES = 20

/** Names of what can be used and gets the focus by no number of presses of Tab. */
async function unreached(page: Page): Promise<readonly string[]> {
  await page.evaluate(MARK_STOPS)
  await page.evaluate(VISIT_STOPS)
  const session = await page.context().newCDPSession(page)
  const send = (type: 'rawKeyDown' | 'keyUp'): Promise<unknown> => session.send('Input.dispatchKeyEvent', { type, ...TAB })
  for (let presses = 0, isOver = false; presses < MOST_PRESSES && !isOver; presses += PRESSES) {
    await Promise.all(Array.from({ length: PRESSES }, () => [send('rawKeyDown'), send('keyUp')]).flat())
    isOver = await page.evaluate<boolean>('isLeft')
  }
  await session.detach()
  return page.evaluate<string[]>('[...document.querySelectorAll("[data-stop]")].map((element) => element.dataset.stop)')
}
