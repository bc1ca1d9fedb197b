// The colours of the style sheet for use on a canvas.

import { currentTheme, type Theme } from '../theme.ts'

const NAMES = ['ink', 'muted', 'line', 'surface', 'accent', 'work', 'exchange', 'waiting', 'good', 'bad'] as const

export type Ink = Readonly<Record<(typeof NAMES)[number], string>>

/** Cached per theme: reading ten colours forces ten layouts of the page, and charts need them at every frame. */
const KNOWN = new Map<Theme, Ink>()

export function currentInk(): Ink {
  const known = KNOWN.get(currentTheme()) ?? inkOf(document.body)
  KNOWN.set(currentTheme(), known)
  return known
}

function inkOf(element: HTMLElement): Ink {
  const probe = document.createElement('i')
  element.append(probe)
  const entries = NAMES.map((name) => {
    probe.style.color = `var(--${name})`
    return [name, getComputedStyle(probe).color]
  })
  probe.remove()
  // One colour per name, which `fromEntries` cannot express.
  return Object.fromEntries(entries) as Ink
}
