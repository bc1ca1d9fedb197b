// Shared by the cards that start a run and a deployment.

import type { IronlawError } from '@ironlaw/contracts'
import type { ReactNode } from 'react'
import type { LaunchOffer } from './use-launch-offer.ts'

type RefusalProps = { readonly refusal: IronlawError | undefined }

export const RefusalBox = ({ refusal }: RefusalProps): ReactNode =>
  refusal && (
    <div className="refused" role="alert">
      <strong>{refusal.message}</strong>
      <p>{refusal.next}</p>
    </div>
  )

type InexactProps = RefusalProps & { readonly checked: boolean; readonly onChange: (checked: boolean) => void }

/** Shown only if differences from the plan block the start, or did. */
export const InexactBox = ({ refusal, checked, onChange }: InexactProps): ReactNode =>
  (checked || refusal?.code === 'IL_INEXACT') && (
    <label className="check">
      <input type="checkbox" checked={checked} onChange={({ target }) => onChange(target.checked)} /> Accept the differences
      (--accept-inexact)
    </label>
  )

/** About the card, for who may start nothing. */
export const SPEC_ONLY = 'The spec of this plan, as ironlaw apply takes it.'

type OfferedProps = { readonly offer: LaunchOffer; readonly page: 'runs' | 'deployments'; readonly children: ReactNode }

/** The buttons, for who may use them. */
export function Offered({ offer, page, children }: OfferedProps): ReactNode {
  switch (offer.kind) {
    case 'unknown':
      return null
    case 'disconnected':
      return (
        <p className="about">
          This tab is not connected to a control plane. <a href={`#/${page}`}>Connect</a> to start it from here, or apply the YAML below
          from the command line.
        </p>
      )
    case 'forbidden':
      return (
        <p className="about">
          Your role is {offer.has}. Starting this takes the role {offer.needs}: pass the YAML below to someone who has it.
        </p>
      )
    case 'offered':
      return children
  }
}
