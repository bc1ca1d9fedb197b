// Global search: Ctrl-K or / opens it, arrows select, Enter opens the selection.

import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { type SearchEntry, matchingEntries } from './search-entries.ts'
import { fetchSearchEntries } from './search-sources.ts'

export function Search({ onClose }: { readonly onClose: () => void }): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  const [entries, setEntries] = useState<readonly SearchEntry[]>()
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState(0)
  const list = useId()
  useEffect(() => {
    dialog.current?.showModal()
    void fetchSearchEntries().then(setEntries)
  }, [])
  const found = matchingEntries(entries ?? [], query)
  const openEntry = ({ href }: SearchEntry): void => {
    location.hash = href
    onClose()
  }
  const handleKey = (event: KeyboardEvent): void => {
    const act: Record<string, () => void> = {
      ArrowDown: () => setChosen(Math.min(found.length - 1, chosen + 1)),
      ArrowUp: () => setChosen(Math.max(0, chosen - 1)),
      Enter: () => {
        const entry = found[chosen]
        if (entry) openEntry(entry)
      },
    }
    if (!act[event.key]) return
    event.preventDefault()
    act[event.key]?.()
  }
  return (
    <dialog
      ref={dialog}
      className="search"
      aria-label="Search"
      onClose={onClose}
      onClick={({ target }) => target === dialog.current && onClose()}
    >
      <input
        type="text"
        role="combobox"
        aria-label="Search runs, deployments, nodes, tenants, plans, laws and pages"
        aria-expanded={found.length > 0}
        aria-controls={list}
        aria-activedescendant={found[chosen] ? `${list}-${chosen}` : undefined}
        placeholder="Search runs, deployments, nodes, laws, pages"
        autoComplete="off"
        value={query}
        onChange={({ target }) => {
          setQuery(target.value)
          setChosen(0)
        }}
        onKeyDown={handleKey}
      />
      <ul id={list} role="listbox" aria-label="Found">
        {found.map((entry, at) => (
          <li key={`${entry.kind} ${entry.href} ${entry.name}`} role="none">
            <a id={`${list}-${at}`} role="option" aria-selected={at === chosen} href={entry.href} tabIndex={-1} onClick={onClose}>
              <span className="chip plain">{entry.kind}</span> <strong>{entry.name}</strong> <span className="quiet">{entry.about}</span>
            </a>
          </li>
        ))}
      </ul>
      <p className="quiet" role="status">
        {entries ? (found.length === 0 ? 'Nothing found.' : 'Arrow keys choose, Enter opens, Escape closes.') : 'Reading…'}
      </p>
    </dialog>
  )
}
