// A side panel with the derivation of the selected number.

import type { Known } from '@ironlaw/units'
import { type ReactNode, useEffect, useRef } from 'react'
import { Tree } from './derivation-tree.tsx'

export type DerivationPanelProps = { readonly name: string; readonly known: Known | undefined; readonly onClose: () => void }

export function DerivationPanel({ name, known, onClose }: DerivationPanelProps): ReactNode {
  const close = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    const before = document.activeElement
    close.current?.focus()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [name])
  return (
    <aside
      className="panel"
      aria-label={`Derivation of ${name}`}
      onKeyDown={({ key }) => {
        if (key === 'Escape') onClose()
      }}
    >
      <header>
        <div>
          <p className="eyebrow">Where it comes from</p>
          <h2>{name}</h2>
        </div>
        <button ref={close} type="button" className="icon" aria-label="Close the derivation" onClick={onClose}>
          ×
        </button>
      </header>
      {known ? <Tree name={name} known={known} /> : <p className="empty">This plan has no such number.</p>}
    </aside>
  )
}
