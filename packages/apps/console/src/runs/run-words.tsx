// Runs in words: states as chips, times as people write them.

import { isTerminal, type RunState } from '@ironlaw/contracts'
import { seconds, show } from '@ironlaw/units'
import type { ReactNode } from 'react'

export const StateChip = ({ state }: { readonly state: RunState }): ReactNode => (
  <span
    className={`chip ${state === 'succeeded' || state === 'running' ? 'good' : state === 'failed' || state === 'unreachable' ? 'bad' : 'plain'}`}
  >
    {!isTerminal(state) && <i className="live" aria-hidden="true" />}
    {state}
  </span>
)

export const showDuration = (value: number | undefined): string => (value === undefined ? '' : show(seconds(value), 's'))

export const showAgo = (at: number): string => `${show(seconds(Math.max(1, Math.round(Date.now() / 1000 - at))), 's', 2)} ago`

export const showClock = (at: number): string => new Date(1000 * at).toLocaleTimeString('en-GB')
