// The law book: find a law by what it decides, and try it out.

import { book, type Law } from '@ironlaw/laws'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { addressOf } from '../address.ts'
import { Empty } from '../ui/card.tsx'
import { useAddress } from '../use-address.ts'
import { LawView } from './law-view.tsx'
import { LAWS } from './laws-state.ts'

export function LawsPage(): ReactNode {
  const [state, change] = useAddress('laws', LAWS)
  const chapters = useMemo(() => Map.groupBy(matchingLaws(state.search), ({ id }) => id.split('/')[0] ?? ''), [state.search])
  const law = book.get(state.law)
  const list = useRef<HTMLElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [state.law])
  return (
    <div className="browser">
      <nav ref={list} className="browser-list" aria-label="Laws">
        <h1>Law book</h1>
        <input
          type="search"
          aria-label="Search laws"
          placeholder={`Search ${book.size} laws`}
          value={state.search}
          onChange={({ target }) => change({ search: target.value })}
        />
        {chapters.size === 0 && <Empty>No law matches.</Empty>}
        {[...chapters].map(([chapter, laws]) => (
          <section key={chapter}>
            <h2>{chapter.replaceAll('-', ' ')}</h2>
            <ul>
              {laws.map(({ id, name, decides }) => (
                <li key={id}>
                  <a
                    className={id === state.law ? 'entry chosen' : 'entry'}
                    aria-current={id === state.law ? 'true' : undefined}
                    href={addressOf('laws', LAWS, { ...state, law: id, at: '', example: '', along: '' })}
                  >
                    {name}
                    <span className="quiet">{decides}</span>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
      <div className="browser-view">
        {law ? (
          <LawView key={law.id} law={law} state={state} change={change} />
        ) : (
          <Empty>There is no law “{state.law}”. Choose one from the list.</Empty>
        )}
      </div>
    </div>
  )
}

function matchingLaws(search: string): readonly Law[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return [...book.values()].filter(({ id, name, decides, source, inputs }) => {
    const all = [id, name, decides, source, ...Object.keys(inputs)].join(' ').toLowerCase()
    return words.every((word) => all.includes(word))
  })
}
