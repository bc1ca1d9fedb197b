// A number that opens its derivation.

import { createContext, type ReactNode, useContext } from 'react'

export const OpenWhy = createContext<(name: string) => void>(() => undefined)

export function Why({ name, label, children }: { readonly name: string; readonly label: string; readonly children: ReactNode }): ReactNode {
  const open = useContext(OpenWhy)
  return (
    <button type="button" className="why" title={`${label}: where does this come from?`} onClick={() => open(name)}>
      {children}
    </button>
  )
}
