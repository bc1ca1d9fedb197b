// One chart with its title and a sentence that explains how to read it.

import type { ReactNode } from 'react'

export type CardProps = {
  readonly title: string
  readonly about?: ReactNode
  readonly wide?: boolean
  readonly busy?: boolean
  readonly aside?: ReactNode
  readonly children: ReactNode
}

export const Card = ({ title, about, wide = false, busy = false, aside, children }: CardProps): ReactNode => (
  <section className={`card${wide ? ' wide' : ''}${busy ? ' busy' : ''}`} aria-label={title} aria-busy={busy}>
    <header>
      <h2>{title}</h2>
      {aside}
    </header>
    {about !== undefined && <p className="about">{about}</p>}
    {children}
  </section>
)

export const Empty = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <p className="empty">
    <span>{children}</span>
  </p>
)
