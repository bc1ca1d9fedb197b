// The state of a page, kept in React while the user drags and written to the address when they pause: browsers refuse more than about
// twenty changes of the address a second.

import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { changedAddress, type Fields, type PageLocation, parseHash, type State, stateOf } from './address.ts'

const PAUSE_MS = 150

/** As last written, or reported by the browser. A page and its tables each write their own fields of it. */
let knownHash = ''

const subscribe = (listener: () => void): (() => void) => {
  const report = (): void => {
    knownHash = location.hash
    listener()
  }
  addEventListener('hashchange', report)
  return () => removeEventListener('hashchange', report)
}

function readAddress(): PageLocation {
  knownHash = location.hash
  return parseHash(knownHash)
}

export const usePageLocation = (): PageLocation => parseHash(useSyncExternalStore(subscribe, () => location.hash))

export type Change<F extends Fields> = (part: Partial<State<F>> | ((before: State<F>) => Partial<State<F>>)) => void

/** `fields` must not change. */
export function useAddress<F extends Fields>(page: string, fields: F): readonly [State<F>, Change<F>] {
  const [state, setState] = useState(() => stateOf(fields, readAddress().parameters))

  useEffect(
    () =>
      subscribe(() => {
        if (parseHash(location.hash).page === page) setState(stateOf(fields, parseHash(location.hash).parameters))
      }),
    [page, fields],
  )

  useEffect(() => {
    const timer = setTimeout(() => {
      // Back or a link has changed the address, and its event is still to come: that address decides, not this state.
      if (location.hash !== knownHash) return
      const address = changedAddress(location.hash, fields, state)
      if (parseHash(location.hash).page !== page || address === location.hash) return
      history.replaceState(undefined, '', address)
      knownHash = location.hash
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [page, fields, state])

  const change: Change<F> = useCallback(
    (part) => setState((before) => ({ ...before, ...(typeof part === 'function' ? part(before) : part) })),
    [],
  )
  return [state, change]
}
