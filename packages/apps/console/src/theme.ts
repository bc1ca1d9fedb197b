// Light or dark: as the system is set until the user chooses. Canvas charts subscribe to changes, because they do not follow style sheets.

const KEY = 'ironlaw-theme'
const listeners = new Set<() => void>()
const system = matchMedia('(prefers-color-scheme: dark)')

export type Theme = 'light' | 'dark'

const storedTheme = (): Theme | undefined => {
  const kept = localStorage.getItem(KEY)
  return kept === 'light' || kept === 'dark' ? kept : undefined
}

export const currentTheme = (): Theme => storedTheme() ?? (system.matches ? 'dark' : 'light')

export function applyTheme(): void {
  document.documentElement.dataset['theme'] = currentTheme()
  for (const listener of listeners) listener()
}

export function toggleTheme(): void {
  localStorage.setItem(KEY, currentTheme() === 'dark' ? 'light' : 'dark')
  applyTheme()
}

export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

system.addEventListener('change', applyTheme)
