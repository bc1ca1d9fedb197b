// The state of a page, kept in React while the user drags and written to the address when they pause: browsers refuse more than about
// twenty changes of the address a second.

import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { addressOf, type Fields, type PageLocation, parseHash, type State, stateOf } from './address.ts'

const PAUSE_MS = 150

const subscribe = (listener: () => void): (() => void) => {
  addEventListener('hashchange', listener)
  return () => removeEventListener('hashchange', listener)
}

export const usePageLocation = (): PageLocation => parseHash(useSyncExternalStore(subscribe, () => location.hash))

export type Change<F extends Fields> = (part: Partial<State<F>>) => void

export function useAddress<F extends Fields>(page: string, fields: F): readonly [State<F>, Change<F>] {
  const [state, setState] = useState(() => stateOf(fields, parseHash(location.hash).parameters))
  const written = useRef(location.hash)

  useEffect(
    () =>
      subscribe(() => {
        if (location.hash === written.current || parseHash(location.hash).page !== page) return
        written.current = location.hash
        setState(stateOf(fields, parseHash(location.hash).parameters))
      }),
    [page, fields],
  )

  useEffect(() => {
    const timer = setTimeout(() => {
      const address = addressOf(page, fields, state)
      // Back or a link has changed the address, and its event is still to come: that address decides, not this state.
      if (location.hash !== written.current) return
      if (parseHash(location.hash).page !== page || address === location.hash) return
      history.replaceState(undefined, '', address)
      written.current = location.hash
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [page, fields, state])

  const change = useCallback((part: Partial<State<F>>) => setState((before) => ({ ...before, ...part })), [])
  return [state, change]
}
