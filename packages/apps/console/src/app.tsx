// The frame around every page.

import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { isAllowed } from '@ironlaw/contracts'
import { keepProject } from './places.ts'
import { LoadBoundary } from './shell/load-boundary.tsx'
import { NoticesMenu } from './shell/notices-menu.tsx'
import { isTourDue, Tour } from './shell/tour.tsx'
import { NEEDS, type RestrictedOperation, usePerson } from './shell/use-grants.ts'
import { onThemeChange, currentTheme, toggleTheme } from './theme.ts'
import { TrainingPage } from './training/page.tsx'
import { usePageLocation } from './use-address.ts'

type NamedPage = {
  readonly name: string
  readonly page: ComponentType
  /** In the bar only for who may call it. */
  readonly reads?: RestrictedOperation
}

/** Only the first page is part of the initial load. */
const PAGES: Readonly<Record<string, NamedPage>> = {
  train: { name: 'Train', page: TrainingPage },
  rl: { name: 'RL', page: lazy(async () => ({ default: (await import('./rl/page.tsx')).RlPage })) },
  serve: { name: 'Serve', page: lazy(async () => ({ default: (await import('./serving/page.tsx')).ServingPage })) },
  data: { name: 'Data', page: lazy(async () => ({ default: (await import('./selection/page.tsx')).SelectionPage })) },
  runs: { name: 'Runs', page: lazy(async () => ({ default: (await import('./runs/page.tsx')).RunsPage })) },
  deployments: {
    name: 'Deployments',
    page: lazy(async () => ({ default: (await import('./deployments/page.tsx')).DeploymentsPage })),
  },
  artifacts: { name: 'Artifacts', page: lazy(async () => ({ default: (await import('./artifacts/page.tsx')).ArtifactsPage })) },
  registry: { name: 'Registry', page: lazy(async () => ({ default: (await import('./registry/page.tsx')).RegistryPage })) },
  fleet: { name: 'Fleet', page: lazy(async () => ({ default: (await import('./fleet/page.tsx')).FleetPage })) },
  compare: { name: 'Compare', page: lazy(async () => ({ default: (await import('./compare/page.tsx')).ComparePage })) },
  secrets: {
    name: 'Secrets',
    reads: 'listSecrets',
    page: lazy(async () => ({ default: (await import('./secrets/page.tsx')).SecretsPage })),
  },
  audit: { name: 'Audit', reads: 'listAccess', page: lazy(async () => ({ default: (await import('./audit/page.tsx')).AuditPage })) },
  laws: { name: 'Laws', page: lazy(async () => ({ default: (await import('./laws/page.tsx')).LawsPage })) },
  catalog: { name: 'Catalog', page: lazy(async () => ({ default: (await import('./catalog/page.tsx')).CatalogPage })) },
}

/** Loads the law book. */
const Search = lazy(async () => ({ default: (await import('./shell/search.tsx')).Search }))

export function App(): ReactNode {
  const [isSearching, setSearching] = useState(false)
  const [isTouring, setTouring] = useState(isTourDue)
  useSearchKeys(() => setSearching(true))
  const place = usePageLocation()
  const page = place.page === '' ? PAGES['train'] : PAGES[place.page]
  const Page = page?.page ?? NotFound
  const dark = useSyncExternalStore(onThemeChange, currentTheme) === 'dark'
  useEffect(() => {
    document.title = `${page?.name ?? 'Not found'} · Ironlaw`
    scrollTo(0, 0)
  }, [page])
  return (
    <>
      <a className="skip" href="#main" onClick={skipToMain}>
        Skip to the answer
      </a>
      <header className="bar">
        <a className="brand" href="#/train">
          <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
            <path d="M4 26 15 10h13" fill="none" stroke="currentColor" strokeWidth="3.6" strokeLinecap="round" strokeLinejoin="round" />
          </svg>
          Ironlaw
        </a>
        <PageLinks shown={page} />
        <button
          type="button"
          className="icon"
          aria-label="Search (Ctrl-K)"
          aria-keyshortcuts="Control+K /"
          onClick={() => setSearching(true)}
        >
          <Magnifier />
        </button>
        <NoticesMenu />
        <button type="button" className="icon roomy-only" aria-label="Take the tour" onClick={() => setTouring(true)}>
          ?
        </button>
        <button type="button" className="icon" aria-label={dark ? 'Use light colours' : 'Use dark colours'} onClick={toggleTheme}>
          {dark ? '☀' : '☾'}
        </button>
      </header>
      <main id="main" tabIndex={-1}>
        <LoadBoundary key={page?.name}>
          <Suspense fallback={<p className="empty">Loading…</p>}>
            <Page />
          </Suspense>
        </LoadBoundary>
      </main>
      {isSearching && (
        <LoadBoundary>
          <Suspense>
            <Search onClose={() => setSearching(false)} />
          </Suspense>
        </LoadBoundary>
      )}
      {isTouring && <Tour onClose={() => setTouring(false)} />}
    </>
  )
}

function PageLinks({ shown }: { readonly shown: NamedPage | undefined }): ReactNode {
  const person = usePerson()
  const isOffered = ({ reads }: NamedPage): boolean => reads === undefined || (person !== undefined && isAllowed(person, NEEDS[reads]))
  // On a narrow screen the bar scrolls; some links come once the person is known.
  useEffect(() => {
    document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [shown, person])
  return (
    <nav aria-label="Pages">
      {Object.entries(PAGES)
        .filter(([, page]) => isOffered(page))
        .map(([id, { name }]) => (
          <a key={id} href={keepProject(`#/${id}`)} aria-current={shown?.name === name ? 'page' : undefined}>
            {name}
          </a>
        ))}
    </nav>
  )
}

/** Ctrl-K everywhere, / outside of text fields. */
function useSearchKeys(onSearch: () => void): void {
  useEffect(() => {
    const handleKey = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]') !== null
      if (!((event.key === 'k' && (event.ctrlKey || event.metaKey)) || (event.key === '/' && !isTyping))) return
      event.preventDefault()
      onSearch()
    }
    addEventListener('keydown', handleKey)
    return () => removeEventListener('keydown', handleKey)
  }, [onSearch])
}

const Magnifier = (): ReactNode => (
  <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden="true">
    <path
      d="M8.5 3a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11Zm4 9.5L17 17"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.7"
      strokeLinecap="round"
    />
  </svg>
)

const NotFound = (): ReactNode => (
  <div className="page narrow">
    <h1>Page not found</h1>
    <p>
      The pages are in the bar above; <a href="#/train">plan a training run</a> is the first.
    </p>
  </div>
)

/** The hash holds the state of the page, so the link moves the focus instead. */
function skipToMain(event: { preventDefault: () => void }): void {
  event.preventDefault()
  document.querySelector<HTMLElement>('#main')?.focus()
}
