// The frame around every page.

import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useSyncExternalStore } from 'react'
import { onTheme, theme, toggleTheme } from './theme.ts'
import { TrainingPage } from './training/page.tsx'
import { usePlace } from './use-address.ts'

/** Only the first page comes with the first load. */
const PAGES: Readonly<Record<string, { readonly name: string; readonly page: ComponentType }>> = {
  train: { name: 'Train', page: TrainingPage },
  serve: { name: 'Serve', page: lazy(async () => ({ default: (await import('./serving/page.tsx')).ServingPage })) },
  runs: { name: 'Runs', page: lazy(async () => ({ default: (await import('./runs/page.tsx')).RunsPage })) },
  deployments: {
    name: 'Deployments',
    page: lazy(async () => ({ default: (await import('./deployments/page.tsx')).DeploymentsPage })),
  },
  fleet: { name: 'Fleet', page: lazy(async () => ({ default: (await import('./fleet/page.tsx')).FleetPage })) },
  laws: { name: 'Laws', page: lazy(async () => ({ default: (await import('./laws/page.tsx')).LawsPage })) },
  catalog: { name: 'Catalog', page: lazy(async () => ({ default: (await import('./catalog/page.tsx')).CatalogPage })) },
}

export function App(): ReactNode {
  const place = usePlace()
  const page = PAGES[place.page] ?? PAGES['train']
  const Page = page?.page ?? TrainingPage
  const dark = useSyncExternalStore(onTheme, theme) === 'dark'
  useEffect(() => {
    document.title = `${page?.name ?? 'Train'} · Ironlaw`
    scrollTo(0, 0)
    document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [page])
  return (
    <>
      <a className="skip" href="#main" onClick={skip}>
        Skip to the answer
      </a>
      <header className="bar">
        <a className="brand" href="#/train">
          <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
            <path d="M4 26 15 10h13" fill="none" stroke="currentColor" strokeWidth="3.6" strokeLinecap="round" strokeLinejoin="round" />
          </svg>
          Ironlaw
        </a>
        <nav aria-label="Pages">
          {Object.entries(PAGES).map(([id, { name }]) => (
            <a key={id} href={`#/${id}`} aria-current={page?.name === name ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <button type="button" className="icon" aria-label={dark ? 'Use light colours' : 'Use dark colours'} onClick={toggleTheme}>
          {dark ? '☀' : '☾'}
        </button>
      </header>
      <main id="main" tabIndex={-1}>
        <Suspense fallback={<p className="empty">Loading…</p>}>
          <Page key={page?.name} />
        </Suspense>
      </main>
    </>
  )
}

/** The hash is the state of the page, so the link moves the focus instead. */
function skip(event: { preventDefault: () => void }): void {
  event.preventDefault()
  document.querySelector<HTMLElement>('#main')?.focus()
}
