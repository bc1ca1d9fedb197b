// Notifications behind a bell that counts the unseen ones.

import { type ReactNode, useId, useState } from 'react'
import { showAgo } from '../runs/run-words.tsx'
import { useNotices } from './use-notices.ts'

export function NoticesMenu(): ReactNode {
  const { notices, unseen, markSeen } = useNotices()
  const [isOpen, setOpen] = useState(false)
  const panel = useId()
  const toggle = (): void => {
    if (!isOpen) markSeen()
    setOpen(!isOpen)
  }
  return (
    <div
      className="notices"
      onKeyDown={({ key }) => {
        if (key === 'Escape') setOpen(false)
      }}
    >
      <button
        type="button"
        className="icon"
        aria-expanded={isOpen}
        aria-controls={panel}
        aria-label={unseen === 0 ? 'Notifications' : `Notifications, ${unseen} new`}
        onClick={toggle}
      >
        <Bell />
        {unseen > 0 && <span className="count">{unseen}</span>}
      </button>
      {isOpen && (
        <section id={panel} className="notices-panel" aria-label="Notifications">
          {notices.length === 0 && <p className="quiet">No notifications.</p>}
          <ul>
            {notices.map(({ id, title, why, href, at }) => (
              <li key={id}>
                <a href={href} onClick={() => setOpen(false)}>
                  {title}
                </a>
                <span className="quiet">
                  {why === '' ? '' : `${why} · `}
                  {showAgo(at)}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

const Bell = (): ReactNode => (
  <svg viewBox="0 0 20 20" width="17" height="17" aria-hidden="true">
    <path
      d="M10 2.5a5 5 0 0 0-5 5v3.2L3.4 14h13.2L15 10.7V7.5a5 5 0 0 0-5-5ZM8 16a2 2 0 0 0 4 0"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  </svg>
)
