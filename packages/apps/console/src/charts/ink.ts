// The colours of the style sheet as a canvas takes them.

const NAMES = ['ink', 'muted', 'line', 'surface', 'accent', 'work', 'exchange', 'waiting', 'good', 'bad'] as const

export type Ink = Readonly<Record<(typeof NAMES)[number], string>>

export function inkOf(element: HTMLElement): Ink {
  const probe = document.createElement('i')
  element.append(probe)
  const entries = NAMES.map((name) => {
    probe.style.color = `var(--${name})`
    return [name, getComputedStyle(probe).color]
  })
  probe.remove()
  // One colour per name, which `fromEntries` cannot say.
  return Object.fromEntries(entries) as Ink
}
